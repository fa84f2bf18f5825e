import type { Context } from "../context.ts";
import { exportMemories } from "../memories/export.ts";
import type { Job, Piece } from "./job-store.ts";
import { type StepResult, tooLarge } from "./work.ts";

/** Memories in one step, and characters of one piece: a row of D1 holds 2 MB, sealed and in base64. */
const pageSize = 100;
const pieceCharacters = 300_000;
/** Of one step, which is one transaction. */
const maxStepCharacters = 8_000_000;
/** Of a whole export, in bytes; more is downloaded as it is read, by `GET …/export`. */
export const maxExportBytes = 64 * 1024 * 1024;
/** In the place of a cursor behind the last page. */
const end = "end";

/** Collects the next page. The cursor says how many pieces there are, and where the list goes on. */
export async function exportStep(ctx: Context, job: Job): Promise<StepResult> {
  const { includeHistory, includeSecrets } = job.options.kind === "export" ? job.options : { includeHistory: true, includeSecrets: false };
  const [, from, cursor] = /^(\d+) (.*)$/.exec(job.cursor) ?? ["", "0", ""];
  const { done: before, counts, failed } = job;
  if (cursor === end) return { cursor: job.cursor, done: before, counts, failed, isLast: true };
  const pageOf = (limit: number) => exportMemories(ctx, { format: "ndjson", limit, includeHistory, includeSecrets, cursor: cursor === "" ? undefined : cursor });
  let page = await pageOf(pageSize);
  if (page.data.length > maxStepCharacters && page.count > 1) page = await pageOf(1);
  if (page.data.length > maxStepCharacters) throw tooLarge("A memory with its history is larger than a job can take.");
  const made = piecesOf(page.data, Number(from));
  const bytes = (counts["bytes"] ?? 0) + new TextEncoder().encode(page.data).byteLength;
  if (bytes > maxExportBytes) throw tooLarge("The export is larger than a job keeps.");
  const done = before + page.count;
  return { cursor: `${Number(from) + made.length} ${page.nextCursor ?? end}`, done, counts: { exported: done, bytes }, failed, made, isLast: page.nextCursor === undefined };
}

function piecesOf(data: string, first: number): Piece[] {
  const pieces: { text: string; ids: string[]; isWhole: boolean }[] = [];
  for (const line of data.split("\n")) {
    if (line === "") continue;
    const { id } = JSON.parse(line) as { id: string };
    const text = `${line}\n`;
    const last = pieces.at(-1);
    if (last?.isWhole && last.text.length + text.length <= pieceCharacters) {
      last.text += text;
      last.ids.push(id);
    } else {
      const isWhole = text.length <= pieceCharacters;
      for (const part of partsOf(text)) pieces.push({ text: part, ids: [id], isWhole });
    }
  }
  return pieces.map(({ text, ids }, i) => ({ text, ids, number: first + i }));
}

/** Never between the halves of a surrogate pair, which would not survive being encoded apart. */
function* partsOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + pieceCharacters);
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
    yield text.slice(at, end);
    at = end;
  }
}
