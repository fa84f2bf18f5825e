import { normalName, type EntityType, type ExtractedEntity, type ExtractedRelationship, type Extraction } from "../graph.ts";
import { aliasesIn } from "./aliases.ts";
import { codeName } from "./code.ts";
import { datesIn, validityOf } from "./dates.ts";
import type { Lexicon } from "./lexicon.ts";
import { mentionsIn, type Mention } from "./mentions.ts";
import { relationsIn, type Named, type Referents } from "./relations.ts";
import { sentencesOf, type Token } from "./tokenizer.ts";

/** What the caller knows beside the text. */
export interface Hints {
  /** When what the text says happened, ms since the epoch: `yesterday` is the day before. */
  at: number;
  /** Whether that is when it happened, not merely when it was written. */
  dated: boolean;
  /** The project that the memory belongs to: who `we` is. */
  project?: string;
}

/** A page of text; what a memory is about stands there. */
const longestText = 8_192;
const mostEntities = 20;
const mostRelationships = 10;

/**
 * Who and what a text names, and what it says of them, by rules: rather too little than something that is not there.
 * Takes time in proportion to the text.
 */
export function extract(text: string, hints: Hints, lexicon: Lexicon): Extraction {
  const sentences = sentencesOf(beginning(text));
  const seen = namesWithin(sentences);
  const found = new Collected();
  const referents: Referents = { speaker: speakerOf(sentences, lexicon), group: hints.project };
  for (const sentence of sentences) {
    const dates = datesIn(sentence, hints.at);
    const taken = new Set(dates.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i)));
    const mentions = mentionsIn(sentence, lexicon, seen).filter(({ start }) => !taken.has(start));
    const aliases = aliasesIn(sentence, mentions);
    const shorts = new Set(aliases.map(({ start }) => start));
    for (const mention of mentions) if (!shorts.has(mention.start)) found.add(mention);
    for (const { long, short } of aliases) found.equate(long, short);
    for (const { calendar } of dates) if (calendar !== undefined) found.add({ name: calendar, type: "date", confidence: 0.8 });
    const brackets = new Map(aliases.map(({ start, end }) => [start, end]));
    const versions = new Map(mentions.flatMap(({ type, start, end, name }) => (type === "version" && !name.includes("@") ? [[start, end] as const] : [])));
    const named = mentions
      .flatMap((mention) => (shorts.has(mention.start) ? [] : withoutVersion(sentence, mention)))
      // `Kubernetes (k8s) runs on …`, `Node 22 runs on …`: the other name or the version stands between.
      .map((mention) => ({ ...mention, end: brackets.get(mention.end) ?? versions.get(mention.end) ?? mention.end }));
    for (const mention of named) if (mention.type === "package") found.add(mention);
    for (const { source, type, target, confidence, at } of relationsIn(sentence, named, referents, lexicon)) {
      const when = validityOf(sentence, dates.filter(({ start }) => sameClause(sentence, start, at))) ?? {
        temporalContext: hints.dated ? new Date(hints.at).toISOString().slice(0, 10) : null,
        validFrom: null,
        validTo: null,
      };
      found.relate({ source: found.add(source), type, target: found.add(target), confidence, ...when });
    }
  }
  return found.result();
}

function beginning(text: string): string {
  if (text.length <= longestText) return text;
  const cut = text.slice(0, longestText);
  return cut.slice(0, Math.max(cut.lastIndexOf(" "), cut.lastIndexOf("\n"), longestText - 200));
}

/** Capitalised words that stand within sentences, where a capital means something. */
function namesWithin(sentences: readonly Token[][]): Set<string> {
  const names = new Set<string>();
  for (const sentence of sentences) {
    for (const { first, word } of sentence) if (!first && /^\p{Lu}\p{Ll}/u.test(word)) names.add(word);
  }
  return names;
}

/** Conversations are kept as `Caroline: I went …`. */
function speakerOf([sentence]: readonly Token[][], lexicon: Lexicon): string | undefined {
  const colon = sentence?.slice(0, 3).findIndex(({ close }) => close === ":") ?? -1;
  if (!sentence || colon < 0) return undefined;
  const name = sentence.slice(0, colon + 1).map(({ word }) => word);
  const kind = lexicon.classOf((name[0] as string).toLowerCase());
  return name.every((word) => /^\p{Lu}\p{Ll}[\p{L}'’-]*$/u.test(word)) && (kind === "person" || kind === "surname") ? name.join(" ") : undefined;
}

/** A statement about `zod@4.1` is one about zod; the number in `Node 22` has no statements. */
function withoutVersion(sentence: readonly Token[], mention: Mention): Mention[] {
  if (mention.type !== "version") return [mention];
  const { name, versionOf } = codeName(sentence[mention.start] as Token) ?? {};
  return name !== undefined && versionOf !== undefined ? [{ ...mention, name, type: "package" }] : [];
}

/** A time counts for what stands on the same side of a semicolon. */
function sameClause(sentence: readonly Token[], a: number, b: number): boolean {
  return !sentence.slice(Math.min(a, b), Math.max(a, b)).some(({ close }) => close.includes(";"));
}

interface Known {
  type: EntityType;
  confidence: number;
  /** Spellings by how often. */
  names: Map<string, number>;
  aliases: Set<string>;
  order: number;
}

class Collected {
  readonly #entities = new Map<string, Known>();
  /** Normal forms of short names, and whose they are. */
  readonly #short = new Map<string, string>();
  readonly #relationships = new Map<string, ExtractedRelationship>();

  /** Answers the normal name under which the entity is kept. */
  add({ name, type, confidence }: Named): string {
    const normal = normalName(name, type);
    const key = this.#short.get(normal) ?? normal;
    const known = this.#entities.get(key) ?? { type, confidence: 0, names: new Map(), aliases: new Set(), order: this.#entities.size };
    if (confidence > known.confidence) Object.assign(known, { type, confidence });
    if (key === normal) known.names.set(name, (known.names.get(name) ?? 0) + 1);
    this.#entities.set(key, known);
    return key;
  }

  equate(long: string, short: string): void {
    const entry = [...this.#entities].find(([, { names }]) => names.has(long));
    if (!entry) return;
    const [key, known] = entry;
    const normal = normalName(short, known.type);
    if (normal === key || this.#short.has(normal)) return;
    const other = this.#entities.get(normal);
    if (other) this.#absorb(key, known, normal, other);
    this.#short.set(normal, key);
    known.aliases.add(short);
  }

  relate(relationship: ExtractedRelationship): void {
    const { source, type, target } = relationship;
    const id = `${source}\0${type}\0${target}`;
    if (source !== target && !this.#relationships.has(id)) this.#relationships.set(id, relationship);
  }

  /** The text that stood before the short name says whose it is. */
  #absorb(key: string, known: Known, normal: string, other: Known): void {
    known.confidence = Math.max(known.confidence, other.confidence);
    this.#entities.delete(normal);
    for (const [id, relationship] of this.#relationships) {
      if (relationship.source !== normal && relationship.target !== normal) continue;
      this.#relationships.delete(id);
      this.relate({ ...relationship, source: relationship.source === normal ? key : relationship.source, target: relationship.target === normal ? key : relationship.target });
    }
  }

  result(): Extraction {
    const related = [...this.#relationships.values()].slice(0, mostRelationships);
    const needed = new Set(related.flatMap(({ source, target }) => [source, target]));
    const ranked = [...this.#entities].sort(([a, one], [b, other]) => Number(needed.has(b)) - Number(needed.has(a)) || other.confidence - one.confidence || one.order - other.order);
    const kept = new Map(ranked.slice(0, mostEntities).map(([key, known]) => [key, entityOf(known)]));
    return {
      entities: [...kept.values()],
      relationships: related.flatMap((relationship) => {
        const [source, target] = [kept.get(relationship.source), kept.get(relationship.target)];
        return source && target ? [{ ...relationship, source: source.name, target: target.name }] : [];
      }),
    };
  }
}

function entityOf({ type, confidence, names, aliases }: Known): ExtractedEntity {
  const [name] = [...names].sort(([, a], [, b]) => b - a)[0] as [string, number];
  return { name, type, aliases: [...aliases], confidence };
}
