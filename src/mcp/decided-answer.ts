import { json } from "../domain/frame.ts";
import type { Done } from "../tools/deeds.ts";
import type { CallResult } from "./tool-result.ts";

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const mapped = (fields: Fields, change: (value: unknown, name: string) => unknown): Fields => Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value, name)]));

/** The answer of the call after what the person decided. */
export function withDone({ structuredContent: before, content, ...answer }: CallResult, done: Done): CallResult {
  const said = content[0]?.text ?? "";
  const { text, instead, entry } = done;
  const structuredContent = before && (entry === undefined ? withAdvice(before, done) : withEntry(before, { ...done, entry }));
  const isJson = structuredContent !== undefined && said.startsWith("{");
  const isWhole = instead !== undefined && entry === undefined;
  return {
    ...answer,
    ...(structuredContent && { structuredContent }),
    content: [{ type: "text", text: isJson ? json(structuredContent).toString() : isWhole ? text.toString() : `${said}\n${text.toString()}` }],
  };
}

/** The record that a family answers with may stand in `data`. */
function withAdvice(before: Fields, done: Done): Fields {
  const { data } = before;
  return isFields(data) ? { ...before, data: withAdvice(data, done) } : { ...withFacts(before, done), advice: done.text.toString() };
}

function withFacts(before: Fields, { facts = {}, instead = [] }: Done): Fields {
  const known = Object.entries(facts).filter(([name]) => name in before || name === "proposal");
  return { ...Object.fromEntries(Object.entries(before).filter(([name]) => !instead.includes(name))), ...Object.fromEntries(known) };
}

/** In a list stands a record that says that it is kept back, or its id alone. */
function withEntry(before: Fields, done: Done & { entry: string }): Fields {
  const { entry, facts, counts = [], text } = done;
  let isListed = false;
  const changed = (one: unknown): unknown => {
    if (one === entry) return facts?.["id"] ?? one;
    if (!isFields(one) || one["id"] !== entry || !("quarantined" in one || one["outcome"] === "quarantined")) return one;
    isListed = true;
    return withFacts(one, done);
  };
  const lists = mapped(before, (value) => (Array.isArray(value) ? value.map(changed) : value));
  const counted = (value: unknown, name: string): unknown => (isListed && counts.includes(name) && typeof value === "number" ? value + 1 : value);
  const { advice } = before;
  return {
    ...mapped(lists, (value, name) => (isFields(value) ? mapped(value, counted) : counted(value, name))),
    advice: typeof advice === "string" ? `${advice} ${text.toString()}` : text.toString(),
  };
}
