import type * as z from "zod";

/** Problems, and keys that are not known, named at once; and characters of each. */
const most = 8;
const longest = 2_000;

/** Says of each problem of a call where it is and what would be right, in the words of the schema that refused the input. */
export function describeProblems(error: z.ZodError, schema: z.ZodType, input: unknown): string {
  const listed = new Set<Shape>();
  const lines = error.issues.slice(0, most).map((issue) => {
    const path = issue.path.map(String).join(".");
    if (path !== "" && issue.code !== "custom" && valueAt(input, issue.path) === undefined) return `${path} is missing`;
    return `${path ? `${path}: ` : ""}${issue.message.slice(0, longest)}${issue.code === "unrecognized_keys" ? known(shapeAt(schema, issue.path), issue.keys.slice(0, most), listed) : ""}`;
  });
  const more = error.issues.length - lines.length;
  return lines.join("; ") + (more > 0 ? `; and ${more} more` : "");
}

/**
 * Names the spelling in which an unknown key is known, and where it belongs if one of the known keys holds such; then, once for
 * each kind of object, which keys are known.
 */
function known(shape: Shape | undefined, keys: readonly string[], listed: Set<Shape>): string {
  if (!shape) return "";
  const moves = keys.flatMap((key) => {
    const name = Object.keys(shape).find((name) => spelling(name) === spelling(key)) ?? otherName(key, shape);
    if (name !== undefined) return [`${key} is called ${name}`];
    const place = Object.keys(shape).find((name) => Object.hasOwn(shapeAt(shape[name]) ?? {}, key));
    return place === undefined ? [] : `${key} belongs into ${place}`;
  });
  const names = listed.has(shape) ? "" : `. Known here: ${Object.keys(shape).join(", ") || "none"}`;
  listed.add(shape);
  return (moves.length > 0 ? ` (${moves.join(", ")})` : "") + names;
}

/** `expiresInDays` and `expires_in_days` are one name. */
const spelling = (name: string): string => name.replaceAll(/[_-]/g, "").toLowerCase();

/** Names that other memory servers have for one thing. */
const alike = ["query q text search question prompt", "content text memory note value fact", "id memory_id uuid", "limit top_k k n max_results count", "type memory_type category", "tags tag labels", "key name title", "occurred_at date timestamp", "max_tokens token_limit budget"].map((names) => names.split(" "));

const otherName = (key: string, shape: Shape): string | undefined =>
  alike.filter((names) => names.some((name) => spelling(name) === spelling(key))).flat().find((name) => Object.hasOwn(shape, name));

type Shape = z.core.$ZodShape;

export const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | null | undefined)?.[step], input);

/** The fields of the object at a path, through what wraps it. */
function shapeAt(schema: z.core.$ZodType | undefined, path: readonly PropertyKey[] = []): Shape | undefined {
  const { def } = (schema as z.core.$ZodTypes | undefined)?._zod ?? {};
  switch (def?.type) {
    case "object":
      return path[0] === undefined ? def.shape : shapeAt(def.shape[String(path[0])], path.slice(1));
    case "array":
      return shapeAt(def.element, path.slice(1));
    case "optional":
    case "nullable":
    case "default":
      return shapeAt(def.innerType, path);
    case "pipe":
      return shapeAt(def.in, path);
    default:
      return undefined;
  }
}
