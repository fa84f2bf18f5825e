/** The knowledge graph of the memory-server document (sections 7 and 8) and the links of the Mnemosyne document. */

export const entityTypes = [
  "person",
  "organization",
  "place",
  "technology",
  "package",
  "version",
  "file",
  "url",
  "code",
  "error",
  "ticket",
  "date",
  "concept",
  "other",
] as const;
export type EntityType = (typeof entityTypes)[number];

/** Something that memories mention, as far as the viewer's memories show it. */
export interface Entity {
  id: string;
  /** The spelling that is used most. */
  name: string;
  type: EntityType;
  /** Other names that memories give it, such as `k8s` for Kubernetes. */
  aliases: string[];
  /** 0–1, the mean over its mentions. */
  confidence: number;
  /** How many memories name it. */
  mentions: number;
}

export interface Relationship {
  id: string;
  source: string;
  type: string;
  target: string;
  /** When it held, in the words of the newest memory that says so: `since March 2026`. */
  temporalContext: string | null;
  /** ms since the epoch. */
  validFrom: number | null;
  validTo: number | null;
  /** 0–1, the mean over the memories that say it. */
  confidence: number;
  /** The newest of the memories that say so. */
  sourceMemories: string[];
}

export const linkTypes = ["extends", "contradicts", "implements", "references", "supersedes"] as const;
export type LinkType = (typeof linkTypes)[number];

/**
 * Who states a link: a person or their model by a call (`said`), rules or a model of the server that compared two texts, the file of
 * an import, as far as that does not say, or a person alone (`person`), who was asked of two memories that contradict each other and
 * lets both stand.
 */
export const linkMakers = ["said", "rule", "model", "import", "person"] as const;
export type LinkMaker = (typeof linkMakers)[number];

/** A directed tie from one memory to another: `source` extends, contradicts … `target`. */
export interface MemoryLink {
  source: string;
  target: string;
  type: LinkType;
  /** 0–1. */
  strength: number;
  reason: string;
  /** Said by somebody, or drawn by rule from what the memory says. */
  origin: "explicit" | "drawn";
  /** Of what is drawn: `rule`. */
  madeBy: LinkMaker;
  /** User id of whose call made it; null of what is drawn. */
  createdBy: string | null;
  createdAt: number;
}

/** The statements of one memory. Names are as written; aliases are names that this text equates. */
export interface Extraction {
  entities: ExtractedEntity[];
  relationships: ExtractedRelationship[];
}

export interface ExtractedEntity {
  name: string;
  type: EntityType;
  aliases: string[];
  confidence: number;
}

export interface ExtractedRelationship {
  /** Names of entities of the same extraction. */
  source: string;
  type: string;
  target: string;
  temporalContext: string | null;
  validFrom: number | null;
  validTo: number | null;
  confidence: number;
}

/** Types whose names differ in more than spelling: `1.2` is not `12`, and paths mind their case. */
const exact = new Set<EntityType>(["version", "file", "url", "ticket", "date"]);

/**
 * The form under which spellings of one name meet: case, hyphens, underscores, spaces and the dot of `Node.js` do not count.
 */
export function normalName(name: string, type: EntityType): string {
  const plain = name.normalize("NFKC");
  if (type === "file" || type === "url") return plain;
  const lower = plain.toLowerCase();
  if (exact.has(type)) return lower;
  const folded = lower.replaceAll(/[\s_\u2010\u2011-]+|\.(?=\p{L})/gu, "");
  return folded === "" ? lower : folded;
}
