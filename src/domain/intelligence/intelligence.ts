import type { Consolidation, Decisions, Enrichment, Extraction, NoteLinks, Summary } from "./answers.ts";
import type { MemoryType } from "../memories/memory-values.ts";

/** What a provider is told of a memory. Its text is data: a provider that asks a model says so to the model. */
export interface Note {
  content: string;
  /** Where it was said, such as a project or the file in work; "" when unknown. */
  context?: string | undefined;
  key?: string | null | undefined;
  summary?: string | null | undefined;
  type?: MemoryType | undefined;
  tags?: readonly string[] | undefined;
  /** When it happened or was last changed, ms since the epoch. */
  at?: number | undefined;
}

/** A message of the memory-server document (section 3). */
export interface Message {
  role: "system" | "user" | "assistant";
  /** Text alone: parts of other kinds are gone before a provider sees it. */
  text: string;
  /** Who speaks, where it is known. */
  name?: string | undefined;
  /** ms since the epoch. */
  at?: number | undefined;
}

/** What a provider says, and who said it. */
export interface Answered<T> {
  answer: T;
  /** `rules`, or provider and model such as `anthropic:claude-haiku-4-5`. */
  by: string;
  /** Why the rules answered in place of the provider that was asked; such work is tried again later. */
  insteadOf?: { by: string; reason: string } | undefined;
}

/**
 * Understands texts (Mnemosyne document, Memory Intelligence; memory-server document, sections 3 to 5). Nothing here writes:
 * verbs decide what becomes of an answer. The rules answer at once and always the same; other providers ask a model, and are
 * never waited for by a call of a client.
 */
export interface Intelligence {
  /** Summary, keywords, tags, type, importance and confidence of a raw note. */
  enrich(note: Note): Promise<Answered<Enrichment>>;
  /** The facts that messages state, each a sentence that names its subject. `prompt`: the team's own instructions. */
  extract(messages: readonly Message[], options?: { prompt?: string | undefined }): Promise<Answered<Extraction>>;
  /** For each fact whether it is new, changes or ends one of the memories that are there, or says nothing new. Memories are named by their place in the list. */
  decide(facts: readonly string[], present: readonly Note[], options?: { prompt?: string | undefined }): Promise<Answered<Decisions>>;
  /** How a note relates to candidates, which are named by their place in the list. */
  link(note: Note, candidates: readonly Note[]): Promise<Answered<NoteLinks>>;
  /** What to do with two memories that may say the same. */
  consolidate(first: Note, second: Note): Promise<Answered<Consolidation>>;
  /** At most `maxTokens` long. */
  summarise(text: string, options: { maxTokens: number }): Promise<Answered<Summary>>;
}
