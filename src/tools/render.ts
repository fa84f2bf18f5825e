import { defined } from "../domain/defined.ts";
import { attribute, block, type Framed, joined, named, say } from "../domain/frame.ts";
import type { Recalled } from "../domain/recall/recall.ts";
import { type CacheRates, withRate } from "../domain/recall/cache/recall-cache.ts";
import { asSaid, initialState, shownState } from "../domain/memories/memory-fields.ts";
import { tokensSaved } from "../domain/memories/compressed-form.ts";
import type { CitedFile, Freshness } from "../domain/memories/citations.ts";
import type { Citation } from "../domain/memories/memory-values.ts";
import { type Memory, trustOf } from "../domain/memories/memory.ts";
import type { More } from "../domain/memories/forget.ts";
import type { Proposal } from "../domain/memories/proposal-store.ts";
import { asFound } from "../domain/secrets/redaction.ts";
import { mayRead, type Principal } from "../domain/tenancy/principal.ts";
import type { Question } from "./define-tool.ts";
import type { Related } from "../domain/recall/selection/related.ts";

export const iso = (ms: number): string => new Date(ms).toISOString();

export const isoDay = (ms: number): string => iso(ms).slice(0, 10);

/** When it happened, as far as that is known. */
export const dayOf = ({ occurredAt, updatedAt }: Memory): string => isoDay(occurredAt ?? updatedAt);

export function trustFieldOf(memory: Memory): { trust?: string } {
  const trust = trustOf(memory);
  return trust === undefined ? {} : { trust };
}

/** The tool that an import names is a claim. */
export const toolOf = ({ trust }: Pick<Memory, "trust">, tool: string): string => (trust.source === "imported" ? `import: ${tool}` : tool);

/** The visibility of a memory unless it is private; the author is named unless it is the reader. */
export const audienceOf = ({ visibility }: Memory, author: string | undefined): { scope?: string; author?: string } => ({
  ...(visibility === "private" ? {} : { scope: visibility }),
  ...(author === undefined ? {} : { author }),
});

/** How much a compressed form spares, in the names of the document; nothing where the content is whole. */
export const compressionOf = ({ compressionRatio }: Memory, saved: number | undefined): Record<string, unknown> =>
  saved === undefined ? {} : { compressed: true, compression_ratio: compressionRatio, tokens_saved: saved };

/** The same of a memory that was written just now. */
export const compressionMade = (memory: Memory): Record<string, unknown> => compressionOf(memory, tokensSaved(memory));

/** Of what a search found: what seems to say otherwise since. */
export const outdatedBy = ({ laterId }: { laterId?: string | undefined }): { may_be_outdated_by?: string } => (laterId === undefined ? {} : { may_be_outdated_by: laterId });

type Extra = Partial<Omit<Recalled, "memory" | "author">> & { author?: string | undefined };

/**
 * A memory in the names of the OmniMemory document; what is as usual, or derived from the content, is left out to save tokens, `metadata` only when truncated.
 * Of a truncated one only what is needed to judge it and to fetch the whole.
 */
export function omnMemory(whole: Memory, extra: Extra = {}): Record<string, unknown> {
  const memory = asSaid(whole);
  const said = {
    memory_id: memory.id,
    ...(memory.key === null ? {} : { key: memory.key }),
    content: memory.content,
    ...trustFieldOf(memory),
  };
  const relevance = extra.relevance === undefined ? {} : { relevance_score: Math.round(extra.relevance * 1000) / 1000 };
  const related = { ...outdatedBy(extra), ...(extra.related ? { related: extra.related } : {}) };
  const citations = citationsOf(memory, extra);
  if (extra.truncated) return { ...said, ...audienceOf(memory, extra.author), truncated: true, tokens_total: extra.tokensTotal, ...relevance, ...citations, ...related };
  const { value, namespace, summary, type, occurred_at, archived_at, ...others } = shownState(memory);
  return defined({
    ...said,
    ...compressionOf(memory, extra.tokensSaved),
    value,
    metadata: {
      ...memory.metadata,
      ...(memory.tags.length ? { tags: memory.tags } : {}),
      ...(memory.importance === initialState.importance ? {} : { importance: memory.importance }),
      ...(memory.visibility === initialState.visibility ? {} : { scope: memory.visibility }),
      ...(memory.sensitivity === "secret" ? { sensitivity: "secret" } : {}),
      ...(memory.expiresAt === null ? {} : { expiry: iso(memory.expiresAt) }),
    },
    namespace,
    summary,
    type,
    ...others,
    ...relevance,
    ...(memory.version > 1 ? { version: memory.version } : {}),
    occurred_at,
    created_at: iso(memory.createdAt),
    ...(memory.updatedAt > memory.createdAt ? { updated_at: iso(memory.updatedAt) } : {}),
    ...(extra.author === undefined ? {} : { author: extra.author, author_id: memory.updatedBy }),
    // Whoever looks a memory up wants all of it.
    ...(extra.relevance === undefined ? { tool: toolOf(memory, memory.updatedTool) } : {}),
    archived_at,
    ...citations,
    ...related,
  });
}

/** Of a look-up all that it cites; of a search what the client's hashes say. */
function citationsOf(memory: Memory, { relevance, truncated, cited = [] }: Extra): { citations?: Record<string, unknown>[] } {
  const stateOf = new Map(cited.map(({ path, state }) => [path, state]));
  const isWhole = relevance === undefined && !truncated;
  const shown = isWhole
    ? memory.citations.map((citation) => defined({ ...citation, state: stateOf.get(citation.path) }))
    : cited.map(({ path, state }) => ({ path, state }));
  return shown.length === 0 ? {} : { citations: shown };
}

/** Of changed files that a line names. */
const mostNamed = 5;
const shortList = (paths: readonly string[]): string => [...paths.slice(0, mostNamed), ...(paths.length > mostNamed ? [`${paths.length - mostNamed} more`] : [])].join(", ");

/** `drifted="src/a.ts"`; of files that are as they were only that they are. */
function freshnessText(cited: readonly CitedFile[]): Framed[] {
  const inState = (state: Freshness): string => shortList(cited.flatMap((one) => (one.state === state ? one.path : [])));
  const changed = (["drifted", "orphaned"] as const).map((state) => [state, inState(state)] as const).filter(([, paths]) => paths !== "");
  if (changed.length === 0) return cited.length === 0 ? [] : [attribute("cited", "fresh")];
  return changed.map(([state, paths]) => attribute(state, paths));
}

/**
 * Recalled text is data, not instruction: each memory stands between tags that nothing in it can close. One that was looked up
 * says all of itself, one that a search found what is needed to judge it and to name it.
 */
export function memoryText({ memory, author, relevance, truncated, tokensTotal, tokensSaved: saved, related = [], cited = [], here = false, laterId, numbers = {} }: Recalled): Framed {
  const called = (id: string | null | undefined): string | number | undefined => (id == null ? undefined : (numbers[id] ?? id));
  const audience = audienceOf(memory, author);
  const isWhole = relevance === undefined && !truncated;
  const attributes = [
    attribute("id", called(memory.id)),
    attribute("key", memory.key ?? undefined),
    attribute("namespace", here || memory.namespace === initialState.namespace ? undefined : memory.namespace),
    attribute("scope", audience.scope),
    attribute("author", audience.author),
    attribute("when", dayOf(memory)),
    attribute("version", memory.version > 1 ? memory.version : undefined),
    ...(isWhole ? detailsOf(memory, new Set(cited.flatMap(({ path, state }) => (state === "fresh" ? [] : path)))) : []),
    // Since when what holds has held matters to who looks it up; what does not hold yet would be taken for the present.
    attribute("valid_from", memory.validFrom !== null && (isWhole || memory.validFrom > memory.updatedAt) ? isoDay(memory.validFrom) : undefined),
    attribute("valid_to", memory.validTo === null ? undefined : isoDay(memory.validTo)),
    attribute("superseded_by", called(memory.supersededBy)),
    attribute("may_be_outdated_by", called(laterId)),
    ...freshnessText(cited),
    // Of 1 is what happened when the question asks; the answer says so once.
    attribute("relevance", relevance === 1 ? undefined : relevance?.toFixed(2)),
    attribute("trust", trustOf(memory)),
    attribute("truncated", truncated ? "true" : undefined),
    attribute("tokens_total", truncated ? tokensTotal : undefined),
    ...Object.entries(compressionOf(memory, saved)).map(([name, said]) => attribute(name, String(said))),
  ];
  // Entities and relationships that matched are named in the memory itself.
  const others = related.filter(({ kind }) => kind === "memory");
  return say`<memory${joined(attributes, "")}>\n${block(memory.content)}\n${joined(others.map((other) => relatedText({ ...other, id: String(called(other.id)) })), "")}</memory>`;
}

/** What a search leaves out, where it is not as usual. `changed`: files that are named already. */
function detailsOf(whole: Memory, changed: ReadonlySet<string>): Framed[] {
  const memory = asSaid(whole);
  const { tags, importance, metadata, value, expiresAt, sensitivity, citations } = memory;
  const { type, summary, archived_at } = shownState(memory) as { type?: string; summary?: string; archived_at?: string };
  const said = { tags: tags.join(", "), type, importance: importance === initialState.importance ? undefined : importance, summary };
  // Of a value that is stored as JSON the content is that JSON.
  const isInContent = value === null || JSON.stringify(value) === memory.content;
  return [
    ...Object.entries(said).map(([name, entry]) => attribute(name, entry === "" ? undefined : entry)),
    attribute("sensitivity", sensitivity === "secret" ? sensitivity : undefined),
    attribute("expiry", expiresAt === null ? undefined : iso(expiresAt)),
    attribute("archived", archived_at),
    attribute("cites", citations.flatMap((citation) => (changed.has(citation.path) ? [] : placeIn(citation))).join(", ") || undefined),
    attribute("metadata", Object.keys(metadata).length === 0 ? undefined : JSON.stringify(metadata)),
    attribute("value", isInContent ? undefined : JSON.stringify(value)),
  ];
}

const placeIn = ({ path, lines }: Citation): string => (lines ? `${path}:${lines[0]}-${lines[1]}` : path);

function relatedText({ id, key, title, why, author, quarantined }: Related): Framed {
  const attributes = [attribute("id", id), attribute("key", key), attribute("why", why), attribute("author", author), attribute("trust", quarantined ? "quarantined" : undefined)];
  return say`<related${joined(attributes, "")}>${title}</related>\n`;
}

type Called = Pick<Memory, "key" | "id"> & { alias?: number };

/** What tools take for a memory: of one of the team's own its number, which is a fifth of the tokens of its id. */
export const refOf = ({ id, alias }: Called): string => String(alias || id);

/** How a line calls a memory. */
export const handleOf = (memory: Called): Framed => (memory.key === null ? say`id ${refOf(memory)}` : named(memory.key));

/** Before a preview in the place of what a confirm was to do. Whether it was given for this selection before, nobody remembers. */
export const confirmText = (wasWrong: boolean): string =>
  wasWrong ? "That confirm does not belong to this preview: it is mistyped, or from before a change. " : "";

/** What a call that forgets leaves to the next one. */
export const moreText = ({ more }: { more?: More }): Framed[] => (more ? [say`Left for the same call, again without confirm: ${more.left ?? "more"}.`] : []);

/** The memory as the answer of a write names it: who may not read learns no key but the one that they said. */
export const namedTo = (principal: Principal, memory: Memory, ...said: (string | undefined)[]): Memory =>
  mayRead(principal) || said.includes(memory.key ?? undefined) ? memory : { ...memory, key: null };

/** The same in the forms of REST: all of it but what is sealed, or its id. */
export const memoryFor = (principal: Principal, memory: Memory, extra?: Extra): Record<string, unknown> => (mayRead(principal) ? omnMemory(asFound(memory), extra) : { memory_id: memory.id });

/** The id, where the handle is a name. */
export const idBeside = (memory: Called): string | undefined => (memory.key === null ? undefined : `id ${refOf(memory)}`);

/** How much of one's own reading was answered from what was kept. */
export function ratesOf({ l1, l2, tokens }: CacheRates): Record<string, unknown> {
  return { l1: withRate(l1), l2: withRate(l2), tokens_not_fetched_again: tokens };
}

/** Advice to the model after a store that was a repeat. */
const duplicateText = (memory: Memory, updateTool: string): Framed =>
  say`duplicate: nothing was stored. This session recalled just that from memory ${refOf(memory)}${memory.key === null ? "" : say` (key ${named(memory.key)})`}, which still says it. ${
    say`If something changed, say what: update that memory with ${updateTool}. To keep it a second time all the same, repeat the call with allow_duplicate: true.`
  }`;

/** After a store of what another memory said already. */
const mergedText = (memory: Memory): Framed =>
  say`merged into memory ${refOf(memory)}${memory.key === null ? "" : say` (key ${named(memory.key)})`} (version ${memory.version}, ${memory.visibility}, ${named(memory.namespace)}), which said the same. Its history keeps both sources. To keep it apart all the same, repeat the call with allow_duplicate: true.`;

/** What a store says of a text that was there already; `updateTool` is how the family changes it. */
export const repeatedText = (outcome: string, memory: Memory, updateTool: string): Framed | undefined =>
  outcome === "duplicate" ? duplicateText(memory, updateTool) : outcome === "merged" ? mergedText(memory) : undefined;

/** After a write in which the write guard found something. */
export function guardText(outcome: string, found: readonly string[] = []): Framed {
  if (found.length === 0) return say``;
  const kinds = named(found.join(", "));
  return outcome === "quarantined"
    ? say` Kept back in quarantine, where nobody finds it: it holds ${kinds}. Its owner releases or discards it outside of this conversation, on the server's page of memories.`
    : say` Masked in what is stored: ${kinds}. The original is in quarantine. To keep a secret, store it by omn_store_memory with metadata.sensitivity: secret.`;
}

/** Advice after a write that others would see, in a team that reviews such writes first. */
export const proposalOf = (proposal: Proposal | undefined): Record<string, unknown> =>
  proposal ? { proposal: { id: proposal.id, scope: proposal.visibility, state: proposal.state }, ...adviceOf(proposalText(proposal)) } : {};

export const guardOf = (outcome: string, found: readonly string[] | undefined): Record<string, unknown> =>
  found ? { [outcome === "quarantined" ? "quarantined" : "masked"]: found, ...adviceOf(guardText(outcome, found)) } : {};

/** What the text says beside the facts, for the structured answer. */
export const adviceOf = (text: Framed): { advice?: string } => {
  const advice = text.toString().trim();
  return advice === "" ? {} : { advice };
};

/** A write whose only effect is a proposal that waits says so. */
export const outcomeWith = <T extends string>(outcome: T, proposal: Proposal | undefined): T | "proposed" =>
  outcome === "unchanged" && proposal?.state === "pending" ? "proposed" : outcome;

const shareAdvice = {
  pending: "It waits until an admin of the team accepts it; until then it is as private as before.",
  accepted: "It was accepted before; since then it has been made private again.",
  refused: "An admin of the team refused that; change it, or ask them, before proposing it again.",
} as const;

const changeAdvice = {
  pending: "It waits until an admin of the team accepts it; until then everybody, you included, finds the memory as it was. An earlier proposal of yours for it gives way.",
  accepted: "It was accepted before.",
  refused: shareAdvice.refused,
} as const;

export function proposalText(proposal: Proposal | undefined): Framed {
  if (!proposal) return say``;
  return proposal.proposed || proposal.links
    ? say` Not changed yet: this team reviews what members change of what others see. ${changeAdvice[proposal.state]}`
    : say` Not ${proposal.visibility} yet: this team reviews what members share. ${shareAdvice[proposal.state]}`;
}

/** Of what a question concerns, so many lines are shown to the person. */
const mostAsked = 12;

/** The question to the person beside a preview, if there is anything to confirm. */
export const questionOf = (confirm: string | undefined, summary: Framed, lines: readonly Framed[], count: number): Question | undefined =>
  confirm === undefined ? undefined : {
    message: joined([summary, ...lines.slice(0, mostAsked), ...(count > mostAsked ? [say`… and ${count - Math.min(mostAsked, lines.length)} more`] : [])]),
    asks: { confirm },
  };
