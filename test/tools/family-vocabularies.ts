import type { Person } from "../support/team.ts";

/** What a memory says in words that no family has for itself. A family leaves out what it has no place for. */
export interface Common {
  key: string | null;
  content: unknown;
  namespace: string;
  visibility: "private" | "shared" | "public";
  tags: string[];
  /** 0–1. */
  importance: number;
  type: string;
  metadata: Record<string, unknown>;
  /** ms since the epoch, as are the next two. */
  expiry: number | undefined;
  created: number;
  updated: number;
  version: number;
  author: string | undefined;
  secret: boolean;
  superseded: string | undefined;
}

type Args = Record<string, any>;
export type Written = Pick<Common, "content" | "namespace" | "tags"> & Partial<Common>;

export interface Vocabulary {
  /** Answers the id. */
  write(who: Person, said: Written): Promise<string>;
  /** What `write` has a place for, beside content, namespace and tags. */
  says: readonly (keyof Common)[];
  read(who: Person, id: string, said: Written): Promise<Partial<Common>>;
  /** A new content for what has the version; answers the version it has then, or undefined where that was not it any more. */
  change(who: Person, id: string, said: Written, content: string, version: number): Promise<number | undefined>;
  /** Whether the family has a word for places of this form. */
  reaches(namespace: string): boolean;
}

async function call(who: Person, tool: string, args: Args): Promise<Args> {
  const { structured, text, isError } = await who.call(tool, args);
  if (isError) throw new Error(`${tool}: ${text}`);
  return structured;
}
const isConflict = (error: unknown): undefined => {
  if (!(error instanceof Error && /conflict/i.test(error.message))) throw error;
  return undefined;
};
const versionOf = (answer: Promise<Args>, of: (found: Args) => number): Promise<number | undefined> => answer.then(of, isConflict);

const ms = (iso: string | undefined): number | undefined => (iso === undefined ? undefined : Date.parse(iso));
const iso = (at: number): string => new Date(at).toISOString();
const seconds = (until: number): number => Math.round((until - Date.now()) / 1_000);
const defined = (object: Args): Args => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== null));

const metadataOf = ({ tags, importance, expiry, visibility, secret, metadata }: Written): Args =>
  defined({ ...metadata, tags, importance, expiry: expiry === undefined ? undefined : iso(expiry), scope: visibility, sensitivity: secret ? "secret" : undefined });
const everywhere = (): boolean => true;
const snake = (name: string): string => name.replaceAll(/(?!^)[A-Z]/g, "_$&").toLowerCase();

const omn: Vocabulary = {
  says: ["key", "importance", "type", "visibility", "expiry", "metadata", "secret"],
  reaches: everywhere,
  write: async (who, { key, content, namespace, type, ...said }) => (await call(who, "omn_store_memory", defined({ key, content, namespace, type, metadata: metadataOf({ content, namespace, ...said }) })))["memory_id"],
  async read(who, id) {
    const [memory] = (await call(who, "omn_retrieve_memory", { id }))["memories"];
    const { tags = [], importance = 0.5, scope = "private", expiry, sensitivity, ...metadata } = memory.metadata;
    return {
      key: memory.key ?? null, content: memory.value ?? memory.content, namespace: memory.namespace ?? "global", visibility: scope, tags, importance, type: memory.type ?? "standard", metadata, expiry: ms(expiry),
      created: Date.parse(memory.created_at), updated: Date.parse(memory.updated_at ?? memory.created_at), version: memory.version ?? 1, author: memory.author, secret: sensitivity === "secret", superseded: memory.superseded_by,
    };
  },
  change: (who, id, _said, content, version) => versionOf(call(who, "omn_update_memory", { id, content, expected_version: version }), (found) => found["version"]),
};

/** Where the scopes of Token Saver are. */
function placeOf(namespace: string, visibility?: string): Args {
  const [, kind, project, session] = /^(global|project|session):?([^/]*)\/?(.*)$/.exec(namespace) ?? [];
  return defined({ scope: visibility !== undefined && visibility !== "private" ? "shared" : kind, project_path: project || undefined, session_id: session || undefined });
}

const tokenSaver: Vocabulary = {
  says: ["key", "visibility", "expiry"],
  // What others see is of a project.
  reaches: (namespace) => /^(?:global|project:|session:)/.test(namespace),
  write: async (who, { key, content, namespace, visibility, tags, expiry }) =>
    (await call(who, "write_memory", defined({ key, value: content, ...placeOf(namespace, visibility), tags, ttl: expiry === undefined ? undefined : seconds(expiry) })))["id"],
  async read(who, id, { namespace }) {
    const { project_path, session_id } = placeOf(namespace);
    const memory = (await call(who, "list_memories", defined({ limit: 500, project_path, session_id })))["memories"].find((one: Args) => one["id"] === id);
    const { metadata } = memory;
    const updated = Date.parse(metadata.updated_at);
    return {
      key: memory.key, content: memory.value, visibility: metadata.visibility ?? (memory.scope === "shared" ? "shared" : "private"), tags: metadata.tags ?? [], importance: metadata.importance ?? 0.5, type: metadata.type ?? "standard", metadata: metadata.custom ?? {},
      ...(memory.scope === "shared" ? {} : { namespace: { global: "global", project: `project:${project_path}`, session: `session:${project_path}/${session_id}` }[memory.scope as "global"] }),
      expiry: metadata.ttl === undefined ? undefined : updated + metadata.ttl * 1_000, created: Date.parse(metadata.created_at), updated, version: metadata.version ?? 1, author: metadata.author, secret: metadata.sensitivity === "secret", superseded: metadata.superseded_by,
    };
  },
  change: (who, _id, { key, namespace, visibility, expiry }, content, version) =>
    versionOf(call(who, "write_memory", defined({ key, value: content, ...placeOf(namespace, visibility), expected_version: version, ttl: expiry === undefined ? undefined : seconds(expiry) })), (found) => found["version"]),
};

const mnemosyne: Vocabulary = {
  says: ["importance", "type", "visibility", "expiry"],
  reaches: everywhere,
  write: async (who, { content, namespace, importance, type, tags, visibility, expiry }) =>
    (await call(who, "mnemosyne_remember", defined({ content, namespace, importance: importance === undefined ? undefined : Math.max(1, Math.round(importance * 10)), memory_type: type, tags, scope: visibility, expires_at: expiry === undefined ? undefined : iso(expiry) })))["memory_id"],
  async read(who, id) {
    const [note] = (await call(who, "mnemosyne_context", { memory_ids: [id] }))["memories"];
    return {
      key: note.key ?? null, content: note.content, namespace: note.namespace, visibility: note.scope ?? "private", tags: note.tags, importance: note.importance / 10, type: snake(note.memory_type), metadata: note.metadata ?? {}, expiry: ms(note.expires_at),
      created: Date.parse(note.created_at), updated: Date.parse(note.updated_at ?? note.created_at), version: note.version ?? 1, author: note.author, secret: note.sensitivity === "secret", superseded: note.superseded_by,
    };
  },
  change: (who, id, _said, content, version) => versionOf(call(who, "mnemosyne_update", { memory_id: id, content, expected_version: version }), (found) => found["version"]),
};

const memory: Vocabulary = {
  says: ["importance", "type", "visibility", "expiry", "metadata", "secret"],
  reaches: everywhere,
  write: async (who, { content, namespace, type, ...said }) => {
    const user = /^user:(.*)$/.exec(namespace)?.[1];
    const project = /^project:(.*)$/.exec(namespace)?.[1];
    return (await call(who, "memory_add", defined({ messages: content, infer: false, user_id: user, project, memory_type: type, metadata: metadataOf({ content, namespace, ...said }) })))["data"][0].id;
  },
  async read(who, id) {
    const record = (await call(who, "memory_get_all", { limit: 200 }))["data"].results.find((one: Args) => one["id"] === id);
    const { metadata } = record;
    const { category, custom_metadata: custom = {} } = metadata;
    return {
      key: metadata.key ?? null, content: record.content, namespace: metadata.user_id === undefined ? (metadata.namespace ?? "global") : `user:${metadata.user_id}`, visibility: metadata.scope ?? "private", tags: metadata.tags ?? [], importance: metadata.importance ?? 0.5,
      type: metadata.memory_type.toLowerCase(), metadata: { ...custom, ...(category === undefined ? {} : { category }) }, expiry: ms(metadata.expiry), created: Date.parse(metadata.created_at), updated: Date.parse(metadata.updated_at),
      version: record.version, author: metadata.author, secret: metadata.sensitivity === "secret", superseded: metadata.superseded_by,
    };
  },
  change: (who, id, _said, content, version) => versionOf(call(who, "memory_update", { memory_id: id, data: content, version }), (found) => found["data"].version),
};

const kom: Vocabulary = {
  says: ["key", "importance", "visibility", "expiry", "metadata", "secret"],
  reaches: everywhere,
  write: async (who, { key, content, namespace, ...said }) => (await call(who, "upsert_memory", { items: [defined({ id: key, text: content, namespace, metadata: metadataOf({ content, namespace, ...said }) })] }))["ids"][0],
  async read(who, id, { namespace }) {
    const item = (await call(who, "recall_context", { limit: 100, namespace }))["items"].find((one: Args) => one["id"] === id);
    return {
      key: item.key ?? null, content: item.content, namespace: item.namespace ?? "global", visibility: item.scope ?? "private", tags: item.tags ?? [], importance: item.importance ?? 0.5, type: item.type ?? "standard", metadata: item.metadata ?? {}, expiry: ms(item.expires_at),
      created: Date.parse(item.created_at), updated: Date.parse(item.updated_at ?? item.created_at), version: item.version ?? 1, author: item.author, secret: item.sensitivity === "secret", superseded: item.superseded_by,
    };
  },
  // It has no word for a version: the last one counts.
  change: async (who, id, _said, content, version) => {
    await call(who, "upsert_memory", { items: [{ id, text: content }] });
    return version + 1;
  },
};

export const vocabularies: Record<string, Vocabulary> = { omn, "token-saver": tokenSaver, mnemosyne, memory, kom };
