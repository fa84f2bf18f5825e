import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import * as z from "zod/mini";
import type { Turn } from "../../client/client.ts";
import { jsonOf } from "../json.ts";

/** Of a conversation that grew for weeks, the end is read; more of it where an answer took so much work that its question stands before that. */
const usualBytes = 4 * 1024 * 1024;
const maxBytes = 64 * 1024 * 1024;
const maxTurn = 7_900;

export interface Said extends Turn {
  id: string;
}

const part = z.object({ type: z.string(), text: z.optional(z.string()) });
const line = z.object({
  type: z.enum(["user", "assistant"]),
  uuid: z.string().check(z.minLength(1), z.maxLength(100)),
  timestamp: z.optional(z.string()),
  isMeta: z.optional(z.boolean()),
  isSidechain: z.optional(z.boolean()),
  isCompactSummary: z.optional(z.boolean()),
  message: z.object({ content: z.union([z.string(), z.array(part)]) }),
});

/** What a person and the model said to each other, from the end of Claude Code's record: no calls of tools, no text of the program itself. */
export function saidIn(path: string, bytes = usualBytes): Said[] {
  const { text, isWhole } = tailOf(path, bytes);
  const said = turnsIn(text);
  return isWhole || bytes >= maxBytes || said.some(({ role }) => role === "user") ? said : saidIn(path, bytes * 4);
}

function turnsIn(lines: string): Said[] {
  return lines.split("\n").flatMap((text) => {
    const parsed = line.safeParse(jsonOf(text));
    if (!parsed.success) return [];
    const { type: role, uuid: id, timestamp, message, isMeta, isSidechain, isCompactSummary } = parsed.data;
    if (isMeta || isSidechain || isCompactSummary) return [];
    const { content } = message;
    const words = typeof content === "string" ? content : content.flatMap((each) => (each.type === "text" && each.text !== undefined ? [each.text] : [])).join("\n");
    const own = words.replaceAll(/<(system-reminder|local-command-\w+|command-\w+)>[\s\S]*?<\/\1>/g, "").trim();
    if (own === "") return [];
    const at = timestamp !== undefined && !Number.isNaN(Date.parse(timestamp)) ? { timestamp: new Date(timestamp).toISOString() } : {};
    const whole = own.length <= maxTurn ? own : `${own.slice(0, maxTurn)}…`;
    // One character that no memory may hold would keep the whole exchange out.
    return [{ id, role, content: whole.replaceAll("\0", "\ufffd").toWellFormed(), ...at }];
  });
}

/** The last bytes of a file, from the first whole line on. */
function tailOf(path: string, most: number): { text: string; isWhole: boolean } {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const start = Math.max(0, size - most);
    const bytes = Buffer.alloc(size - start);
    const read = readSync(file, bytes, 0, bytes.length, start);
    const text = bytes.subarray(0, read).toString("utf8");
    return start === 0 ? { text, isWhole: true } : { text: text.slice(text.indexOf("\n") + 1), isWhole: false };
  } finally {
    closeSync(file);
  }
}
