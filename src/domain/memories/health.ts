import type { Context } from "../context.ts";
import { requireScope } from "../tenancy/principal.ts";
import { type CitedFile, citesFilesOf, type CurrentHashes, freshnessOf } from "./citations.ts";
import { type Examined, type Findings, type Found, mostExamined, mostJudged, type Section } from "./health-findings.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { type WorthRemembering, worthRemembering } from "../sessions/worth-remembering.ts";
import { junkReason } from "./junk.ts";

const day = 86_400_000;
/** Neither read nor changed for so long, and of no more than usual importance. */
export const staleAfter = 180 * day;
/** Memories that one section names. */
const mostNamed = 10;
/** Of quarantine, which nothing else lists for a model. */
const mostHeld = 20;
const mostPaths = 200;

export interface Junk {
  memory: Examined;
  /** In words that follow "it". */
  reason: string;
}

export interface HealthInput {
  /** What the client's files are now. */
  hashes?: CurrentHashes | undefined;
  /** Where the client works. */
  project?: string | undefined;
}

/** What may be wrong with the memories that the caller may see, and what may be made of them (users 12). Nothing is changed by looking. */
export interface Health extends Pick<Findings, "quarantined" | "duplicates" | "stale" | "contradicted" | "superseded" | "orphaned" | "unshared" | "twins"> {
  junk: Found<Junk>;
  /** What the client's files say of the memories that cite them, where it sent hashes: those of which not all is fresh. */
  citations: (Found<{ memory: Examined; files: CitedFile[] }> & { fresh: number }) | undefined;
  /** Files that memories cite, where no hashes were sent, so that the client knows which to send. */
  citedFiles: Found<string>;
  /** What the caller said in conversations and no memory says. */
  worthRemembering: WorthRemembering[];
  /** A section went through a part of the memories only, because there are too many. */
  isPartial: boolean;
}

const shown = ["duplicates", "stale", "suspects", "contradicted", "superseded", "orphaned", "unshared", "twins", "size"] as const satisfies Section[];

export async function health(ctx: Context & { sessions: SessionStore }, { hashes, project }: HealthInput = {}): Promise<Health> {
  requireScope(ctx.principal, "memory:read");
  const { principal, now, memories } = ctx;
  const staleBefore = now - staleAfter;
  const [{ quarantined }, found, { citing }, { cited }, worth] = await Promise.all([
    memories.examine(principal, now, { sections: ["quarantined"], limit: mostHeld, staleBefore }),
    memories.examine(principal, now, { sections: shown, limit: mostNamed, staleBefore }),
    hashes ? memories.examine(principal, now, { sections: ["citing"], limit: mostJudged, staleBefore, paths: [...hashes.keys()] }) : { citing: undefined },
    hashes ? { cited: undefined } : memories.examine(principal, now, { sections: ["cited"], limit: mostJudged, staleBefore }),
    worthRemembering(ctx),
  ]);
  const { suspects, size, ...sections } = found;
  const junk = judged(suspects.items);
  return {
    ...sections,
    quarantined,
    junk: { total: junk.length, items: junk.slice(0, mostNamed) },
    citations: hashes && citing && checked(citing, hashes, project),
    citedFiles: cited ? pathsIn(cited.items, project) : { total: 0, items: [] },
    worthRemembering: worth,
    isPartial: size.total > mostExamined || suspects.total > suspects.items.length || (citing !== undefined && citing.total > citing.items.length),
  };
}

/** Those of the suspects that are junk. */
export const judged = (suspects: Findings["suspects"]["items"]): Junk[] =>
  suspects.flatMap(({ content, ...memory }) => {
    const reason = junkReason({ key: memory.key, content });
    return reason === undefined ? [] : [{ memory, reason }];
  });

function checked({ items }: Findings["citing"], hashes: CurrentHashes, project: string | undefined): Health["citations"] {
  const known = items.flatMap(({ citations, ...memory }) => {
    const files = citesFilesOf(project, memory) ? freshnessOf(citations, hashes) : [];
    return files.length === 0 ? [] : [{ memory, files }];
  });
  const changed = known.flatMap(({ memory, files }) => (files.every(({ state }) => state === "fresh") ? [] : [{ memory, files: files.filter(({ state }) => state !== "fresh") }]));
  return { total: changed.length, items: changed.slice(0, mostHeld), fresh: known.length - changed.length };
}

function pathsIn(cited: Findings["cited"]["items"], project: string | undefined): Found<string> {
  const paths = [...new Set(cited.flatMap((one) => (citesFilesOf(project, one) ? one.path : [])))];
  return { total: paths.length, items: paths.slice(0, mostPaths) };
}

/** Of memories that say the same: the one to keep. What is important goes first, then what is older. */
export const keptOf = (same: readonly Examined[]): Examined =>
  same.toSorted((a, b) => b.importance - a.importance || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))[0] as Examined;
