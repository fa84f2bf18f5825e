import { z } from "zod";
import { catalogue } from "../../src/tools/catalogue.ts";
import type { Tool } from "../../src/tools/define-tool.ts";
import { sampleCalls } from "../tools/samples.ts";

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  additionalProperties?: boolean | object;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}
type Path = readonly (string | number)[];

/** One way to get one field wrong. */
export interface BadCall {
  what: string;
  args: Record<string, unknown>;
}
export interface BadField {
  tool: Tool;
  /** As an error should name it. */
  field: string;
  path: string;
  calls: BadCall[];
}

/** Longer than any text field allows whose schema does not say how long it may be. */
const tooLong = 40_000;
/** Free text of which an empty one means no more than leaving it out. */
const mayBeEmpty = new Set(["confirm", "created_by", "created_tool", "updated_by", "updated_tool", "actor_id", "tool", "action", "reason", "superseded_reason"]);
/** A text may stand for the list. */
const mayBeText = new Set(["memory_add messages", "memory_add content"]);

/** Arguments that are right, with something at every place that lists hold. */
function rightArgs(tool: Tool): Record<string, unknown> {
  const id = "018f0000-0000-7000-8000-000000000000";
  const sample = sampleCalls(id)[tool.name] ?? {};
  const link = () => ({ to: id, type: "references" });
  const history = [{ version: 1, at: "2026-01-31", actor_id: "a", tool: "t", action: "create", state: { content: "Then.", citations: [{ path: "src/a.ts" }] } }];
  const lists: Record<string, object> = {
    omn_store_memory: { links: [link()], citations: [{ path: "src/a.ts" }] },
    omn_update_memory: { links: [link()], unlink: [link()], citations: [{ path: "src/a.ts" }] },
    mnemosyne_remember: { links: [{ target_id: id, link_type: "Extends" }] },
    mnemosyne_update: { links: [{ target_id: id, link_type: "Extends" }], remove_links: [{ target_id: id }] },
    omn_import_memories: { memories: [{ key: "bad.input", content: "Now.", version: 2, history, citations: [{ path: "src/a.ts" }] }] },
  };
  return { ...sample, ...lists[tool.name] };
}

export function badFields(): BadField[] {
  return catalogue.flatMap((tool) => {
    const schema = z.toJSONSchema(tool.input, { io: "input", unrepresentable: "any" }) as Schema;
    const fields: BadField[] = [];
    visit(schema, [], (node, path) => {
      const field = path.findLast((step) => typeof step === "string");
      const calls = [...badValues(node, String(field ?? ""))].filter(([what]) => what !== "text" || !mayBeText.has(`${tool.name} ${field ?? ""}`)).map(([what, value]) => ({ what, args: withValue(rightArgs(tool), path, value) }));
      if (node.additionalProperties === false) calls.push({ what: "an unknown field", args: withValue(rightArgs(tool), [...path, "nonsense"], 1) });
      if (calls.length > 0) fields.push({ tool, field: String(field ?? "nonsense"), path: path.join(".") || "(arguments)", calls });
    });
    return fields;
  });
}

function visit(schema: Schema, path: Path, at: (schema: Schema, path: Path) => void): void {
  at(schema, path);
  for (const [name, property] of Object.entries(schema.properties ?? {})) visit(property, [...path, name], at);
  if (schema.items) visit(schema.items, [...path, 0], at);
}

/** What a union or a nullable field may be, all in one. */
const options = (schema: Schema): Schema[] => (schema.anyOf ? schema.anyOf.flatMap(options) : [schema]);

/** An option that says nothing of its values, as of any JSON. */
const allowsAnything = (schema: Schema): boolean => Object.keys(schema).every((keyword) => keyword === "description");

function* badValues(schema: Schema, field: string): Generator<[what: string, value: unknown]> {
  const all = options(schema);
  const types = new Set(all.flatMap(({ type = [] }) => type));
  if (types.size === 0 || all.some(allowsAnything) || field === "") return;
  const may = (type: string): boolean => types.has(type);
  if (!may("null")) yield ["null", null];
  yield may("boolean") ? ["text for a switch", "yes"] : ["a switch", true];
  if (!may("array")) yield ["a list", [["x"]]];
  if (!may("object")) yield ["an object", { a: 1 }];
  if (!may("string")) yield ["text", "some text"];
  if (!may("number") && !may("integer")) yield ["a number", 7];
  if (may("string")) {
    const maxLength = Math.max(...all.map((option) => option.maxLength ?? 0)) || tooLong;
    yield ["too long a text", "x".repeat(maxLength + 1)];
    if (!mayBeEmpty.has(field)) yield ["an empty text", ""];
    if (!mayBeEmpty.has(field)) yield ["white space", " \n "];
    yield ["a lone surrogate", "a\ud83d b"];
    yield ["a NUL", "a\0b"];
  }
  if (may("integer")) yield ["a fraction", 1.5];
  for (const { minimum, maximum } of all) {
    if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) yield ["too small a number", minimum - 1];
    if (maximum !== undefined) yield ["too large a number", maximum < Number.MAX_SAFE_INTEGER ? maximum + 1 : 1e300];
  }
  if (may("number") || may("integer")) yield ["a negative number", -1];
  const { maxItems, items } = schema;
  if (maxItems !== undefined) yield ["too many entries", Array.from({ length: maxItems + 1 }, (_, i) => (items?.type === "object" ? { content: `c${i}` } : `t${i}`))];
}

function withValue(args: Record<string, unknown>, path: Path, value: unknown): Record<string, unknown> {
  const copy = structuredClone(args);
  let at: Record<string | number, unknown> = copy;
  for (const step of path.slice(0, -1)) at = (at[step] ??= {}) as Record<string | number, unknown>;
  const last = path.at(-1);
  if (last !== undefined) at[last] = value;
  return copy;
}
