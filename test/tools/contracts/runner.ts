import { beforeAll, describe, expect, test } from "vitest";
import { findTool } from "../../../src/tools/catalogue.ts";
import type { ToolAnswer } from "../../support/mcp.ts";
import { indexed, newTeam, type Person, type Team } from "../../support/team.ts";
import type { Args, Call, Check, FamilyContract, FailureContract, Kind, ToolContract } from "./contract.ts";

type Names = Map<string, unknown>;

/** One team with what its calls named. */
class World {
  readonly team: Team;
  readonly names: Names = new Map();
  #asked: Person;

  constructor(team: Team) {
    this.team = team;
    this.#asked = team.owner;
  }

  static async of(given: readonly Call[] = [], isIndexed = false): Promise<World> {
    const world = new World(await newTeam());
    for (const call of given) {
      const answer = await world.call(call);
      expect(answer.isError, `${call.tool}: ${answer.text}`).toBe(false);
    }
    if (isIndexed) await indexed(world.team.owner.principal);
    return world;
  }

  async as(scopes: FailureContract["scopes"]): Promise<void> {
    if (scopes) this.#asked = await this.team.join("member", scopes);
  }

  async call({ tool, args = {}, as = {} }: Call): Promise<ToolAnswer> {
    const answer = await this.#asked.call(tool, resolved(args, this.names) as Args);
    for (const [name, path] of Object.entries(as)) this.names.set(name, at(answer.structured, path));
    return answer;
  }

  async check(answer: ToolAnswer, checks: readonly Check[] = []): Promise<void> {
    for (const { of, path, is, isA, absent } of checks) {
      const { structured, text } = of ? await this.call(of) : answer;
      const [value, told] = [at(structured, path, this.names), `${path} in ${text.slice(0, 400)}`];
      if (absent) expect(value, told).toBeUndefined();
      if (is !== undefined) expect(value, told).toEqual(resolved(is, this.names));
      if (isA) expectKind(value, isA, told);
    }
  }
}

function resolved(value: unknown, names: Names): unknown {
  if (typeof value === "string" && value.startsWith("$")) return names.has(value.slice(1)) ? names.get(value.slice(1)) : value;
  if (Array.isArray(value)) return value.map((item) => resolved(item, names));
  if (value !== null && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolved(item, names)]));
  return value;
}

/** What stands at the path; `length` is that of a list. */
function at(value: unknown, path: string, names: Names = new Map()): unknown {
  return path.split(/\.(?![^[]*\])/).reduce<any>((found, step) => {
    const [, key, wanted] = /^\[(\w+)=(.*)\]$/.exec(step) ?? [];
    return key === undefined ? found?.[step] : (found as Args[] | undefined)?.find((one) => one[key] === resolved(wanted, names));
  }, value);
}

const isKind: Record<Kind, (value: any) => boolean> = {
  uuid: (value) => typeof value === "string" && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  instant: (value) => typeof value === "string" && new Date(value).toISOString() === value,
  text: (value) => typeof value === "string" && value !== "",
  number: Number.isFinite,
  integer: Number.isSafeInteger,
  fraction: (value) => Number.isFinite(value) && value >= 0 && value <= 1,
  boolean: (value) => typeof value === "boolean",
  list: Array.isArray,
  texts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  object: (value) => value !== null && typeof value === "object" && !Array.isArray(value),
  null: (value) => value === null,
};
const expectKind = (value: unknown, kind: Kind, told: string): void => expect(isKind[kind](value), `${JSON.stringify(value)} is ${kind}: ${told}`).toBe(true);

/** The arguments with this one at its path, or without it. */
function withArgument(args: Args, path: string, value: unknown): Args {
  const [first = "", ...rest] = path.split(".");
  const inner = rest.length === 0 ? value : Array.isArray(args[first]) || /^\d+$/.test(rest[0] ?? "") ? inList((args[first] ?? []) as unknown[], rest, value) : withArgument((args[first] ?? {}) as Args, rest.join("."), value);
  const { [first]: _, ...others } = args;
  return inner === undefined ? others : { ...others, [first]: inner };
}
const inList = (list: unknown[], [index = "0", ...rest]: string[], value: unknown): unknown[] => [...list.slice(0, Number(index)), withArgument((list[Number(index)] ?? {}) as Args, rest.join("."), value), ...list.slice(Number(index) + 1)];

/** Without what differs from call to call: ids, instants, and how long it took. */
const comparable = ({ structured }: ToolAnswer): string =>
  JSON.stringify(structured, (name, value) => (/_ms$|^(?:from|to)$|^query_time$|^timestamp$|^request_id$|access/.test(name) ? undefined : value));

/** The form in which a failure of this family reads, for a model and for a program. */
function expectFailure({ isError, text, error }: ToolAnswer, { errorForm }: FamilyContract, code: string): Args {
  expect(isError, text).toBe(true);
  expect(error, text).toMatchObject({ code, message: expect.any(String), timestamp: expect.any(String), request_id: expect.any(String) });
  if (errorForm === "line") {
    expect(text.startsWith(`${code}: ${error?.message}`), text).toBe(true);
    return error as unknown as Args;
  }
  const { error: said, ...rest } = JSON.parse(text) as { error: Args };
  expect(rest).toEqual({});
  const { code: told, message, details = {}, ...more } = said;
  expect([told, message]).toEqual([code, error?.message]);
  expect(Object.keys(more).toSorted()).toEqual(errorForm.json.toSorted());
  return { ...said, ...(details as Args) };
}

export function contractTests(family: FamilyContract): void {
  for (const tool of family.tools) describe(tool.tool, () => toolTests(tool, family));

  if (family.conduct.length > 0) {
    test.each(family.conduct.map((row) => [row.document, row] as const))("%s", async (_document, { given, call, shows }) => {
      const world = await World.of(given, true);
      const answer = await world.call(call);
      expect(answer.isError, answer.text).toBe(false);
      await world.check(answer, shows);
    });
  }

  test.each(family.failures.map((row) => [row.code, row.call.tool, row] as const))("%s of %s", async (code, _tool, { given, call, scopes, details = [] }) => {
    const world = await World.of(given);
    await world.as(scopes);
    const said = expectFailure(await world.call(call), family, code);
    for (const name of details) expect(said, name).toHaveProperty(name);
  });

  test.each(family.differences.map((row) => [row.document, row.ours, row] as const))("unlike the document (%s): %s", async (_document, _ours, { given, call, refused, shows, because }) => {
    expect(because).not.toBe("");
    const world = await World.of(given, true);
    const answer = await world.call(call);
    if (refused) expectFailure(answer, family, refused);
    else expect(answer.isError, answer.text).toBe(false);
    await world.check(answer, shows);
  });
}

function toolTests(tool: ToolContract, family: FamilyContract): void {
  const { tool: name, aliases = [], given, indexed: isIndexed, call, parameters, output } = tool;
  const made = (): Promise<World> => World.of(given, isIndexed);

  test.each([name, ...aliases])("is called %s", async (called) => {
    const answer = await (await made()).call({ tool: called, args: call });
    expect(answer.isError, answer.text).toBe(false);
  });

  if (parameters.length > 0) {
    test.each(parameters.map((row) => [row.name, row] as const))("takes %s", async (path, { example, with: beside = {}, without = [], shows }) => {
      const world = await made();
      const base = Object.fromEntries(Object.entries(call).filter(([given]) => !without.includes(given)));
      const answer = await world.call({ tool: name, args: withArgument({ ...base, ...beside }, path, example) });
      expect(answer.isError, answer.text).toBe(false);
      await world.check(answer, shows);
    });
  }

  const withDefault = parameters.filter((row) => row.default !== undefined || row.unsaid);
  if (withDefault.length > 0) {
    test.each(withDefault.map((row) => [row.name, row.default, row] as const))("left out, %s is %j", async (path, usual, { with: beside = {}, without = [], unsaid }) => {
      const world = await made();
      const base = Object.fromEntries(Object.entries(call).filter(([given]) => !without.includes(given)));
      const args = withArgument({ ...base, ...beside }, path, undefined);
      const answer = await world.call({ tool: name, args });
      expect(answer.isError, answer.text).toBe(false);
      await world.check(answer, unsaid);
      if (usual === undefined || !findTool(name)?.annotations.readOnlyHint) return;
      const said = await world.call({ tool: name, args: withArgument(args, path, usual) });
      expect(comparable(said)).toEqual(comparable(answer));
    });
  }

  describe("refuses", () => {
    let world: World;
    beforeAll(async () => {
      world = await made();
    });
    const bad = parameters.flatMap(({ name: path, refused, required, with: beside = {}, without = [] }) => [...refused, ...(required ? [undefined] : [])].map((value) => ({ path, value, beside, without })));
    test.each(bad.map((row) => [row.path, row.value === undefined ? "nothing" : JSON.stringify(row.value).slice(0, 40), row] as const))("%s: %s", async (path, _shown, { value, beside, without }) => {
      const base = Object.fromEntries(Object.entries(call).filter(([given]) => !without.includes(given)));
      const { message = "", hint = "" } = expectFailure(await world.call({ tool: name, args: withArgument({ ...base, ...beside }, path, value) }), family, "VALIDATION_ERROR");
      // What is wrong, and what would be right.
      const told = `${String(message)} ${String(hint)}`;
      expect(told.toLowerCase()).toMatch(new RegExp(path.split(".").filter((step) => !/^\d+$/.test(step)).map((step) => step.replaceAll("_", "[_ ]")).join("|")));
      expect(told).not.toMatch(/: Invalid input\s*([;.]|$)/);
    });

    test("what it does not know, and says what it knows", async () => {
      const { message } = expectFailure(await world.call({ tool: name, args: { ...call, nonsense: 1 } }), family, "VALIDATION_ERROR");
      expect(String(message)).toContain("nonsense");
    });
  });

  describe("answers", () => {
    let world: World;
    let answer: ToolAnswer;
    beforeAll(async () => {
      world = await made();
      answer = await world.call({ tool: name, args: output.call ?? call });
    });
    test.each(Object.entries(output.fields))("%s, %s", (path, kind) => {
      expect(answer.isError, answer.text).toBe(false);
      expectKind(at(answer.structured, path, world.names), kind, `${path} in ${answer.text.slice(0, 600)}`);
    });
  });
}
