import { withUsual } from "../support/usual.ts";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { uuidv7 } from "../../src/domain/ids.ts";
import { sessionName } from "../../src/session/session-call.ts";
import type { Scope } from "../../src/domain/tenancy/principal.ts";
import { keyFor, onlyOpen, store } from "../domain/tenancy/tenant.ts";
import { rpc } from "../support/mcp.ts";
import { latest, Model, now, sees, unknown, type Entry, type Principal, type Proposal, type Role, type State, type Version } from "./model.ts";

export interface Membership {
  user: number;
  team: number;
  role: Role;
  scopes: Scope[];
}

export interface Answer {
  status: number;
  /** The JSON-RPC message as it came. */
  raw: string;
  structured: Record<string, unknown>;
  text: string;
  isError: boolean;
  /** Of the tool's error form, of the protocol, or of the edge. */
  code: string | undefined;
}

const token = /zq[0-9a-z]{4}x\d{5}/g;
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
export const tokensOf = (value: unknown): Set<string> => new Set(JSON.stringify(value ?? null).match(token));

let worlds = 0;

interface VersionRow {
  id: string; version: number; at: number; actor: string; content: string; visibility: string; type: string;
}
type ProposalRow = Pick<Proposal, "id" | "version" | "visibility" | "by" | "state" | "decidedBy"> & { memory: string; content: string | null; tags: string | null; isArchived: 0 | 1 | null };

interface Row {
  id: string; alias: number; version: number; owner: string; visibility: string; namespace: string; key: string | null;
  content: string; archivedAt: number | null; createdAt: number; supersededBy: string | null; validTo: number | null;
}

/** Two organizations with three teams on two shards, their people, what they stored, and what the model thinks of it. */
export class TestServer {
  readonly model = new Model();
  readonly principals: Principal[] = [];
  readonly teams: { id: string; organization: string; shard: string }[] = [];
  /** An instant after each operation. */
  readonly marks: number[] = [];
  /** Arguments of the last store, whoever made it. */
  lastStore: Record<string, unknown> | undefined;
  /** By team, user and key: what was stored under an idempotency key. */
  readonly once = new Map<string, { request: string; entry: Entry; version: number; outcome: string }>();
  readonly exports: { data: string; count: number; sha256: string }[] = [];
  readonly answers = new Map<string, string>();
  /** How many calls were answered how, by error code. */
  readonly answered = new Map<string, number>();
  #minted = 0;
  readonly #tag = (worlds += 1).toString(36).padStart(4, "0");
  readonly #users = new Map<number, string>();
  readonly #said = new Map<string, Set<string>>();

  static async create(members: Membership[]): Promise<TestServer> {
    const server = new TestServer();
    await server.found(members);
    return server;
  }

  /** The two teams of one organization live on different shards. */
  async found(members: Membership[]): Promise<void> {
    for (const [i, organization] of [0, 0, 1].entries()) {
      const organizationId = organization === 0 && this.teams[0] ? this.teams[0].organization : uuidv7(Date.now());
      if (i !== 1) await store.createOrganization({ id: organizationId, name: `Org ${organization}` }, Date.now());
      await onlyOpen(`SHARD_${i % 2}`);
      const place = await store.createTeam({ id: uuidv7(Date.now()), organizationId, name: `Team ${i}` }, Date.now());
      this.teams.push({ id: place.teamId, organization: organizationId, shard: place.shard });
    }
    for (const member of members) await this.#join(member);
  }

  async user(index: number): Promise<string> {
    const known = this.#users.get(index);
    if (known !== undefined) return known;
    const id = uuidv7(Date.now());
    this.#users.set(index, id);
    await store.createUser({ id, name: `User ${index}` }, Date.now());
    return id;
  }

  /** A second membership of the same person in the same team is one more key. */
  async #join({ user, team, role, scopes }: Membership): Promise<void> {
    const id = await this.user(user);
    const place = this.teams[team] as (typeof this.teams)[number];
    const sibling = this.principals.find((p) => p.user === id && p.team === place.id);
    if (!sibling) await store.addMember({ teamId: place.id, userId: id, role }, Date.now());
    const { token, keyId } = await keyFor({ teamId: place.id, organizationId: place.organization }, id, scopes);
    const name = `user ${user} in team ${team} (${sibling?.role ?? role}; ${scopes.map((scope) => scope.slice(7)).join(", ")})`;
    this.principals.push({ name, token, keyId, user: id, team: place.id, organization: place.organization, role: sibling?.role ?? role, scopes, active: true });
  }

  /** A word that no other memory, and no other version of this one, holds. */
  mint(): string {
    return `zq${this.#tag}x${String((this.#minted += 1)).padStart(5, "0")}`;
  }

  pick(index: number): Entry | undefined {
    const sorted = [...this.model.entries].sort((a, b) => (a.id < b.id ? -1 : 1));
    return sorted[index % Math.max(1, sorted.length)];
  }

  /** What `pick` takes for it. */
  indexOf({ id }: Entry): number {
    return this.model.entries.filter((one) => one.id < id).length;
  }

  /** Every secret word that this person brought to the team in a call. */
  saidBy({ user, team }: Principal): ReadonlySet<string> {
    return this.#said.get(`${user} ${team}`) ?? new Set();
  }

  async request(p: Principal, method: string, params: Record<string, unknown>): Promise<Answer> {
    this.#said.set(`${p.user} ${p.team}`, new Set([...this.saidBy(p), ...tokensOf(params)]));
    const { status, body } = (await rpc(p.token, method, params, "?surface=all&project=p")) as { status: number; body: Body };
    const result = body.result ?? {};
    const code = result._meta?.["omnimemory/error"]?.code ?? (body.error === undefined ? undefined : String(body.error.code));
    this.answered.set(code ?? "ok", (this.answered.get(code ?? "ok") ?? 0) + 1);
    return {
      status,
      raw: JSON.stringify(body),
      structured: method === "tools/call" ? withUsual(result.structuredContent ?? {}) : result,
      text: result.content?.[0]?.text ?? "",
      isError: result.isError === true,
      code,
    };
  }

  tool(p: Principal, name: string, args: Record<string, unknown>): Promise<Answer> {
    return this.request(p, "tools/call", { name, arguments: args });
  }

  /**
   * The whole answer holds no secret word but those of `shown` and of the request, no id of a memory but theirs and those
   * that their metadata name, and nothing that belongs to another organization.
   */
  scan(p: Principal, answer: Answer, request: unknown, shown: { entry?: Entry; state: Partial<State> }[] = []): void {
    const allowed = new Set([...tokensOf(request), ...shown.flatMap(({ state }) => [...tokensOf(state)])]);
    const leaked = [...tokensOf(answer.raw)].filter((word) => !allowed.has(word));
    expect(leaked, `secret words shown to ${p.name}: ${answer.raw}`).toEqual([]);

    const asked = new Set(JSON.stringify(request ?? null).match(uuid));
    const said = JSON.stringify(shown.map(({ state }) => state.metadata)).match(uuid) ?? [];
    const known = new Set([...shown.flatMap(({ entry, state }) => (entry ? [entry.id, ...this.#successors(p, entry, state)] : [])), ...said, ...asked]);
    const memories = new Set(this.model.entries.map(({ id }) => id));
    const strangers = new Set([...this.teams.flatMap(({ id, organization }) => [id, organization]), ...this.strangersTo(p)]);
    const ids = (answer.raw.match(uuid) ?? []).filter((id) => (memories.has(id) && !known.has(id)) || (strangers.has(id) && !asked.has(id)));
    expect(ids, `ids shown to ${p.name}: ${answer.raw}`).toEqual([]);
    expect(answer.raw).not.toMatch(/SHARD_|Something went wrong/);
  }

  /** What took a memory's place, at any time, or is proposed to: of that, whoever sees both is told. */
  #successors(p: Principal, entry: Entry, { supersededBy }: Partial<State>): string[] {
    const proposed = this.model.entries.find(({ id }) => id === supersededBy);
    const ids = new Set([...entry.versions.map(({ state }) => state.supersededBy), this.model.successor(p, entry)?.id, proposed?.id, proposed && this.model.successor(p, proposed)?.id]);
    return this.model.entries.filter((one) => ids.has(one.id) && sees(p, one)).map(({ id }) => id);
  }

  /** People who never were in the organization. */
  strangersTo(p: Principal): string[] {
    return this.principals.map(({ user }) => user).filter((user) => !this.principals.some((q) => q.user === user && q.organization === p.organization));
  }

  /** D1 holds exactly what the model holds: every write that had to be refused was, and no other. Learns ids and instants. */
  async learn(): Promise<void> {
    await Promise.all(this.teams.map(({ id, shard }) => this.#learn(id, shard)));
  }

  async #learn(team: string, shard: string): Promise<void> {
    const d1 = env[shard as "SHARD_0"];
    const [memories, versions, proposals] = (await d1.batch([
      d1
        .prepare(
          `SELECT id, alias, version, owner_id AS owner, visibility, namespace, key, content, archived_at AS archivedAt, created_at AS createdAt, superseded_by AS supersededBy, valid_to AS validTo
           FROM memories WHERE team_id = ? ORDER BY alias`,
        )
        .bind(team),
      d1.prepare("SELECT memory_id AS id, version, at, actor_id AS actor, state ->> '$.content' AS content, state ->> '$.visibility' AS visibility, state ->> '$.type' AS type FROM versions WHERE team_id = ? ORDER BY memory_id, version").bind(team),
      d1.prepare("SELECT id, memory_id AS memory, version, visibility, proposed_by AS by, state, decided_by AS decidedBy, proposed ->> '$.content' AS content, proposed ->> '$.tags' AS tags, iif(proposed IS NULL, NULL, proposed ->> '$.archivedAt' IS NOT NULL) AS isArchived FROM proposals WHERE team_id = ?").bind(team),
    ])) as unknown as [{ results: Row[] }, { results: VersionRow[] }, { results: ProposalRow[] }];
    const mine = this.model.entries.filter((entry) => entry.team === team);
    const fresh = memories.results.filter((row) => !mine.some((entry) => entry.alias === row.alias));
    for (const [i, entry] of mine.filter(({ alias }) => alias === 0).entries()) {
      const row = fresh[i];
      if (!row) continue;
      if (entry.id !== "") expect(row.id, "an import keeps the id").toBe(entry.id);
      Object.assign(entry, { id: row.id, alias: row.alias, createdAt: row.createdAt });
    }
    this.model.nameSuccessors();
    for (const row of memories.results) {
      const entry = mine.find(({ alias }) => alias === row.alias);
      if (entry && now(entry).archivedAt === unknown && row.archivedAt !== null) now(entry).archivedAt = row.archivedAt;
    }
    const row = (entry: Entry): Row => {
      const { owner, visibility, namespace, key, content, archivedAt, supersededBy, validTo } = now(entry);
      return { id: entry.id, alias: entry.alias, version: latest(entry).version, owner, visibility, namespace, key, content, archivedAt, createdAt: entry.createdAt, supersededBy, validTo };
    };
    expect(memories.results, "the truth is what the model says").toEqual(mine.sort((a, b) => a.alias - b.alias).map(row));
    for (const entry of mine) {
      const chain = versions.results.filter(({ id }) => id === entry.id);
      expect(chain.map(({ version, actor, content, visibility }) => ({ version, actor, content, visibility }))).toEqual(
        entry.versions.map(({ version, by, state }) => ({ version, actor: by, content: state.content, visibility: state.visibility })),
      );
      for (const [i, { at, type }] of chain.entries()) Object.assign(entry.versions[i] as Version, { at, type });
    }
    this.#learnProposals(team, proposals.results);
  }

  #learnProposals(team: string, rows: ProposalRow[]): void {
    const waiting = this.model.proposals.filter(({ entry }) => entry.team === team);
    // Of one person and one memory at most one waits.
    const isFresh = (row: ProposalRow) => (one: Proposal): boolean => one.id === "" && one.entry.id === row.memory && one.by === row.by;
    for (const row of rows) {
      const fresh = row.state === "pending" && !waiting.some(({ id }) => id === row.id) ? waiting.find(isFresh(row)) : undefined;
      if (fresh) fresh.id = row.id;
    }
    const inOrder = (list: ProposalRow[]): ProposalRow[] => list.sort((a, b) => (a.id < b.id ? -1 : 1));
    const row = ({ id, entry, version, visibility, by, state, decidedBy, proposed }: Proposal): ProposalRow => ({
      id, memory: entry.id, version, visibility, by, state, decidedBy,
      content: proposed && proposed.content, tags: proposed && JSON.stringify(proposed.tags), isArchived: proposed && (proposed.archivedAt === null ? 0 : 1),
    });
    expect(inOrder(rows), "the queue is what the model says").toEqual(inOrder(waiting.map(row)));
  }

  /** Remembers an instant that lies between two operations. */
  async tick(): Promise<void> {
    await scheduler.wait(2);
    this.marks.push(Date.now());
    await scheduler.wait(2);
  }

  async remove(p: Principal): Promise<void> {
    await store.removeMember(p.team, p.user);
    await this.#announce(p);
    for (const key of this.principals) if (key.team === p.team && key.user === p.user) key.active = false;
  }

  async add(p: Principal, role: Role): Promise<void> {
    await store.addMember({ teamId: p.team, userId: p.user, role }, Date.now());
    await this.#announce(p);
    for (const key of this.principals) if (key.team === p.team && key.user === p.user) Object.assign(key, { active: true, role });
  }

  /** As the product does with every change to what somebody is in a team. */
  async #announce(p: Principal): Promise<void> {
    await env.USER_SESSION.getByName(sessionName(p.team, p.user)).credentialsChanged();
  }
}

interface Body {
  result?: Record<string, unknown> & {
    structuredContent?: Record<string, unknown>;
    content?: { text: string }[];
    isError?: boolean;
    _meta?: { "omnimemory/error"?: { code: string } };
  };
  error?: { code: number | string };
}
