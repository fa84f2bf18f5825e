import type { EntityType } from "../../../domain/graph/graph.ts";
import { graphStageName } from "../../../domain/graph/stage.ts";
import type { GraphLink } from "./link-table.ts";
import type { NewNode, Token } from "./node-table.ts";
import { nameKey, relationshipKey, type NameMention, type NameRecord, type RelationshipMention, type RelationshipRecord } from "./packs.ts";

/** Names or relationships with their numbers in D1. */
export interface NodePage<R> {
  rows: number[];
  nodes: NewNode<R>[];
  /** Where the next page begins; undefined after the last. */
  next: { id: string; row: number } | undefined;
}

/** What memories contribute, by the numbers of names and relationships in D1. */
export interface MentionPage {
  memories: { id: string; version: number; home: string; expiresAt: number | null; names: NameMention[]; relationships: RelationshipMention[] }[];
  next: string | undefined;
}

export interface LinkPage {
  links: GraphLink[];
  next: [source: string, target: string, type: string] | undefined;
}

/** For comparison with the copy. */
export interface GraphChecksum {
  /** The team's newest sequence number, and the one up to which the graph is drawn. */
  seq: number;
  drawn: number;
  totals: { names: number; nameMentions: number; relationships: number; relationshipMentions: number; links: number; linksCreated: number; linkStrength: number };
}

const nodePage = 5_000;
const memoryPage = 1_000;
const linkPage = 5_000;

const tokens = (kind: "entity" | "relationship"): string => `(SELECT json_group_array(json_array(t.token, t.share)) FROM ${kind}_tokens t WHERE t.row = n.row)`;
const after = "n.team_id = ?1 AND (n.id, n.row) > (?2, ?3) ORDER BY n.id, n.row LIMIT ?4 + 0";

const names = `SELECT n.row, n.home, n.entity, n.norm, n.name, n.id, n.type, ${tokens("entity")} FROM entities n WHERE ${after}`;
const relationships = `SELECT n.row, n.home, n.source, n.type, n.target, n.id, ${tokens("relationship")} FROM relationships n WHERE ${after}`;

const thousandths = "CAST(round(1000 * x.confidence) AS INTEGER)";
const mentions = `SELECT m.id, m.version, m.home, m.expires_at,
    (SELECT json_group_array(json_array(x.entity_row, ${thousandths})) FROM entity_mentions x WHERE x.team_id = ?1 AND x.memory_id = m.id),
    (SELECT json_group_array(json_array(x.relationship_row, ${thousandths}, x.source_name, x.target_name, x.context, x.valid_from, x.valid_to))
      FROM relationship_mentions x WHERE x.team_id = ?1 AND x.memory_id = m.id)
  FROM memories m WHERE m.team_id = ?1 AND m.id > ?2 ORDER BY m.id LIMIT ?3 + 0`;

const linkColumns = "l.source_id, l.target_id, l.type, l.strength, l.created_at, l.origin, s.version, t.version";
const ends = "CROSS JOIN memories s ON s.team_id = ?1 AND s.id = l.source_id CROSS JOIN memories t ON t.team_id = ?1 AND t.id = l.target_id";
const links = `SELECT ${linkColumns} FROM memory_links l ${ends}
  WHERE l.team_id = ?1 AND (l.source_id, l.target_id, l.type) > (?2, ?3, ?4) ORDER BY l.source_id, l.target_id, l.type LIMIT ?5 + 0`;
const linksOfMemories = `SELECT DISTINCT ${linkColumns} FROM json_each(?2) j
  CROSS JOIN memory_links l ON l.team_id = ?1 AND (l.source_id = j.value OR l.target_id = j.value) ${ends}`;

const total = (table: string): string => `(SELECT count(*) FROM ${table} WHERE team_id = ?1), (SELECT coalesce(sum(mentions), 0) FROM ${table} WHERE team_id = ?1)`;
const checksum = `SELECT coalesce((SELECT seq FROM counters WHERE team_id = ?1), 0),
    coalesce((SELECT cursor FROM index_progress WHERE team_id = ?1 AND stage = ?2 ORDER BY started_at DESC LIMIT 1), 0),
    ${total("entities")}, ${total("relationships")}, count(*), coalesce(sum(created_at % 1000000), 0), CAST(coalesce(sum(round(1000000 * strength)), 0) AS INTEGER)
  FROM memory_links WHERE team_id = ?1`;

type LinkRow = [string, string, GraphLink["type"], number, number, GraphLink["origin"], number, number];

const linkFrom = ([source, target, type, strength, createdAt, origin, sourceVersion, targetVersion]: LinkRow): GraphLink => ({
  source, target, type, strength, createdAt, origin, sourceVersion, targetVersion,
});

/** One team's graph in its shard, read by the team's own object: not on behalf of a person, so nothing is hidden. */
export class GraphSource {
  readonly #d1: D1Database;
  readonly #teamId: string;

  constructor(d1: D1Database, teamId: string) {
    this.#d1 = d1;
    this.#teamId = teamId;
  }

  async names(from = { id: "", row: 0 }): Promise<NodePage<NameRecord>> {
    const rows = await this.#rows<[number, string, string, string, string, string, EntityType, string]>(names, from.id, from.row, nodePage);
    const nodes = rows.map(([, home, entity, norm, name, id, type, tokens]): NewNode<NameRecord> => ({
      key: nameKey(home, entity, name), record: [home, entity, norm, name, id, type], tokens: JSON.parse(tokens) as Token[],
    }));
    return { rows: rows.map(([row]) => row), nodes, next: nextOf(rows.map((row) => ({ row: row[0], id: row[5] }))) };
  }

  async relationships(from = { id: "", row: 0 }): Promise<NodePage<RelationshipRecord>> {
    const rows = await this.#rows<[number, string, string, string, string, string, string]>(relationships, from.id, from.row, nodePage);
    const nodes = rows.map(([, home, source, type, target, id, tokens]): NewNode<RelationshipRecord> => ({
      key: relationshipKey(home, source, type, target), record: [home, source, target, id, type], tokens: JSON.parse(tokens) as Token[],
    }));
    return { rows: rows.map(([row]) => row), nodes, next: nextOf(rows.map((row) => ({ row: row[0], id: row[5] }))) };
  }

  async mentions(from = ""): Promise<MentionPage> {
    const rows = await this.#rows<[string, number, string, number | null, string, string]>(mentions, from, memoryPage);
    const memories = rows.map(([id, version, home, expiresAt, names, relationships]) => ({
      id, version, home, expiresAt, names: JSON.parse(names) as NameMention[], relationships: JSON.parse(relationships) as RelationshipMention[],
    }));
    return { memories, next: rows.length < memoryPage ? undefined : rows.at(-1)?.[0] };
  }

  async links([source, target, type]: [string, string, string] = ["", "", ""]): Promise<LinkPage> {
    const rows = await this.#rows<LinkRow>(links, source, target, type, linkPage);
    const last = rows.at(-1);
    return { links: rows.map(linkFrom), next: rows.length < linkPage || !last ? undefined : [last[0], last[1], last[2]] };
  }

  /** From and to these memories. */
  async linksOf(memoryIds: readonly string[]): Promise<GraphLink[]> {
    return (await this.#rows<LinkRow>(linksOfMemories, JSON.stringify(memoryIds))).map(linkFrom);
  }

  async checksum(): Promise<GraphChecksum> {
    const [row] = await this.#rows<[number, number, number, number, number, number, number, number, number]>(checksum, graphStageName);
    const [seq, drawn, names, nameMentions, relationships, relationshipMentions, links, linksCreated, linkStrength] = row ?? [0, 0, 0, 0, 0, 0, 0, 0, 0];
    return { seq, drawn, totals: { names, nameMentions, relationships, relationshipMentions, links, linksCreated, linkStrength } };
  }

  async #rows<Row extends unknown[]>(statement: string, ...parameters: (string | number)[]): Promise<Row[]> {
    return this.#d1.prepare(statement).bind(this.#teamId, ...parameters).raw<Row>();
  }
}

const nextOf = (rows: { id: string; row: number }[]): { id: string; row: number } | undefined => (rows.length < nodePage ? undefined : rows.at(-1));
