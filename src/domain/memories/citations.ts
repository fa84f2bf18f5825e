import * as z from "zod";
import * as field from "./fields.ts";
import { isSameProject } from "../project.ts";
import { topicOf } from "./memory.ts";
import type { Citation } from "./memory-values.ts";

/**
 * Files that a memory cites, and whether they still say what they said then. A client knows its files; the server compares what
 * the client says of them with what the memory says, and reads no file. A hash is any text that changes with the file, such as its
 * SHA-256 or its git blob id: it is compared as it is, letter case aside, so all clients of a team take the same kind.
 */

export const mostCitations = 50;
/** Files of one call. */
const mostHashes = 1_000;
const mostLines = 100_000_000;

/** One line without what cannot be seen; a path may be long. */
const name = (label: string, max: number) =>
  field.filled(label, max).refine((value) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value), { message: `${label} must not contain control characters` });

/**
 * One name for one file: slashes as separators, without `.`, `..` and doubled slashes, in the composed form of Unicode (macOS
 * lists names decomposed). Letter case counts. Paths are relative to the root of the repository.
 */
export function normalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.normalize("NFC").trim().split(/[/\\]/)) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return `${/^\s*[/\\]/.test(path) ? "/" : ""}${parts.join("/")}`;
}

const path = name("path", 500).transform(normalPath).refine((value) => value !== "" && value !== "/", { message: "path must name a file" });
const normalHash = (hash: string): string => hash.trim().toLowerCase();
const hash = name("hash", 200).transform(normalHash);
const line = z.number().int().min(1).max(mostLines);

const citation = z.strictObject({
  path,
  /** Of the whole file. */
  hash: hash.optional(),
  commit: name("commit", 100).transform((value) => value.trim()).optional(),
  /** First and last. */
  lines: z.tuple([line, line], "lines are [first, last]").refine(([from, to]) => from <= to, { message: "lines are [first, last]" }).optional(),
});

/** As callers give them. */
export const citations = z.array(citation).max(mostCitations, `at most ${mostCitations} citations`);

/** What two memories cite that become one: of the same place what the first one says. */
export function citedTogether(first: readonly Citation[], second: readonly Citation[]): Citation[] {
  const placeOf = ({ path, lines }: Citation): string => JSON.stringify([path, lines]);
  const cited = new Set(first.map(placeOf));
  return [...first, ...second.filter((one) => !cited.has(placeOf(one)))];
}

/** Current hashes by normal path; null for a file that is gone. */
export type CurrentHashes = ReadonlyMap<string, string | null>;

/** As clients send them: `{"src/a.ts": "<hash>", "src/gone.ts": null}`. Of two spellings of a path the last counts. */
export const currentHashes = z
  .record(field.phrase("path", 500), z.union([field.phrase("hash", 200), z.null()]))
  .refine((hashes) => Object.keys(hashes).length <= mostHashes, { message: `at most ${mostHashes} files; ask for the others in another call` })
  .transform((hashes): CurrentHashes => new Map(Object.entries(hashes).map(([file, current]) => [normalPath(file), normalHash(current ?? "") || null])));

export type Freshness = "fresh" | "drifted" | "orphaned";

export interface CitedFile {
  path: string;
  state: Freshness;
}

/**
 * What the hashes say of each cited file; nothing of files whose hash was not sent, or that are cited without one and still
 * exist. A file that is cited several times, such as for several places in it, drifted if it did since one of them.
 */
export function freshnessOf(cited: readonly Citation[], hashes: CurrentHashes): CitedFile[] {
  const states = new Map<string, Freshness>();
  for (const { path, hash } of cited) {
    const current = hashes.get(path);
    if (current === undefined || (current !== null && hash === undefined)) continue;
    const state = current === null ? "orphaned" : hash === current ? "fresh" : "drifted";
    if (state !== "fresh" || !states.has(path)) states.set(path, state);
  }
  return [...states].map(([path, state]) => ({ path, state }));
}

const projectOf = (namespace: string): string | undefined => (namespace.startsWith("user:") ? undefined : topicOf(namespace) || undefined);

/** Whether the files that a memory cites may be those of a client in this project: paths are alike in many repositories. */
export const citesFilesOf = (project: string | undefined, { namespace }: { namespace: string }): boolean =>
  project === undefined || isSameProject(projectOf(namespace) ?? project, project);
