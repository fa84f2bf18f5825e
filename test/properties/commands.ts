import { expect } from "vitest";
import { canRead, now, type Entry, type Principal, type State, type Visibility } from "./model.ts";
import type { Answer, TestServer } from "./test-server.ts";

/** One operation as fast-check makes it: plain numbers, read by each command as it likes, so that shrinking is easy to follow. */
export interface Op {
  tool: string;
  who: number;
  target: number;
  key: number;
  place: number;
  visibility: Visibility;
  variant: number;
  flag: boolean;
  limit: number;
}

export type Command = (server: TestServer, p: Principal, op: Op, tool: string) => Promise<void>;

/** The same few names for everybody, on purpose. */
const keys = ["current.task", "shared.findings", "deploy.notes"];
export const patterns = ["*", "current.*", "*notes", "s*.find*"];
const places = ["global", "project:p", "thread:t", "thread:t", "session:p/s1"];
export const trees = ["maple", "birch"];

export const keyOf = (op: Op): string => keys[op.key % keys.length] as string;
export const patternOf = (op: Op): string => patterns[op.key % patterns.length] as string;
export const bit = (op: Op, mask: number): boolean => (op.variant & mask) !== 0;

/** Sometimes the place itself is a secret: then counts by namespace must not tell of it. */
export const placeOf = (server: TestServer, op: Op): string => places[op.place] ?? `project:${server.mint()}`;
export const contentOf = (server: TestServer, op: Op): string => `${trees[op.flag ? 0 : 1]} ${server.mint()} note`;

export interface Shown {
  entry: Entry;
  state: State;
}
export const present = (entries: Entry[]): Shown[] => entries.map((entry) => ({ entry, state: now(entry) }));

export const everything = (server: TestServer, p: Principal): Shown[] => present(server.model.own(p, {}, "all"));

/** Only its name and place are told of a memory that stands in the way. */
export const named = (shown: Shown[]): { entry: Entry; state: Partial<State> }[] =>
  shown.map(({ entry, state }) => ({ entry, state: { namespace: state.namespace } }));

export const sorted = <T>(list: T[]): T[] => [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** A refusal tells nothing but what the caller said. */
export function expectRefusal(server: TestServer, p: Principal, answer: Answer, request: unknown, code: string, told: Entry[] = []): void {
  expect(answer, `${p.name} is refused`).toMatchObject({ status: 200, code });
  server.scan(p, answer, request, code === "CONFLICT" ? named(everything(server, p)) : named(present(told)));
}

/** A read that this person may make: the answer is as the model says and holds nothing else. */
export async function reads(
  server: TestServer, p: Principal, tool: string, args: Record<string, unknown>, shown: { entry?: Entry; state: Partial<State> }[],
  check: (structured: Record<string, unknown>) => void,
): Promise<Answer> {
  const answer = await server.tool(p, tool, args);
  if (!canRead(p)) {
    expectRefusal(server, p, answer, args, "PERMISSION_DENIED");
    return answer;
  }
  expect(answer, answer.raw).toMatchObject({ status: 200, isError: false, code: undefined });
  check(answer.structured);
  server.scan(p, answer, args, shown);
  return answer;
}

/** What differs between any two calls, and what the caller said itself. */
const normal = ({ raw }: Answer, echoed: string | number): string =>
  (typeof echoed === "number" ? raw : raw.replaceAll(echoed, "<it>"))
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<instant>")
    .replaceAll(/"request_id\\*":\\*"[^"\\]*\\*"/g, "<request>")
    .replaceAll(/"\w+_time_ms\\*":[\d.]+/g, "<time>");

/** What is hidden is answered as what does not exist: to the letter. */
export async function sameAsAbsent(
  server: TestServer, p: Principal, method: string, params: Record<string, unknown>, hidden: string | number, answer: Answer,
): Promise<void> {
  const absent = typeof hidden === "number" ? 1_000_000_007 : /^[0-9a-f-]{36}$/.test(hidden) ? crypto.randomUUID() : "never.used.key";
  const replaced = (value: unknown): unknown =>
    value === hidden ? absent
    : typeof value === "string" && typeof hidden === "string" ? value.replaceAll(hidden, String(absent))
    : Array.isArray(value) ? value.map(replaced)
    : typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaced(item)]))
    : value;
  const other = await server.request(p, method, replaced(params) as typeof params);
  expect(normal(answer, hidden), "hidden is answered as absent").toBe(normal(other, absent));
}

export const fieldsOf = (structured: Record<string, unknown>, list: string): Record<string, unknown>[] => structured[list] as Record<string, unknown>[];
