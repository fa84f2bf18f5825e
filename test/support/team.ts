import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { servicesOf } from "../../src/app.ts";
import { memoryCommitsOf } from "../../src/app/storage.ts";
import type { Context } from "../../src/domain/context.ts";
import { uuidv7 } from "../../src/domain/ids.ts";
import { indexTeam } from "../../src/domain/indexing/index-team.ts";
import { list } from "../../src/domain/memories/list.ts";
import { newState, type Memory, type MemoryState } from "../../src/domain/memories/memory.ts";
import { recall, type RecallInput, type Recalled } from "../../src/domain/recall/recall.ts";
import { remember, type RememberInput, type RememberOutcome } from "../../src/domain/memories/remember.ts";
import { firstVersion } from "../../src/domain/memories/versions.ts";
import type { MemoryWriter } from "../../src/domain/memories/memory-store.ts";
import { type Principal, type Role, type Scope, scopes } from "../../src/domain/tenancy/principal.ts";
import { SecretBox } from "../../src/domain/secrets/secret-box.ts";
import type { MemoryCommits } from "../../src/platform/d1/memory-commits.ts";
import { SealedRows } from "../../src/platform/d1/sealed-rows.ts";
import { toDocument } from "../../src/platform/team-index/document.ts";
import type { TeamShard } from "../../src/platform/team-index/source.ts";
import { sessionName } from "../../src/session/session-call.ts";
import { callTool, type ToolAnswer } from "./mcp.ts";
import { keyFor, newTenant, now, principalOf, store } from "../domain/tenancy/tenant.ts";

export { day, hour, minute, now } from "../domain/tenancy/tenant.ts";
export const services = servicesOf(env);
/** Commits to D1 without telling the index, as an object does that dies right after the commit. */
export const commits = memoryCommitsOf(env);
/** A writer that commits to D1 and leaves the index objects to find it there. */
export const writerOver = (commits: MemoryCommits): MemoryWriter => ({
  commit: (principal, write, writes, once) => commits.commit(principal, write, writes, once),
  saveIdempotency: (...args) => commits.saveIdempotency(...args),
  erase: async (principal, write, memories) => {
    await commits.erase(principal, write, memories);
    return memories.map(({ id }) => id);
  },
});
/** Seals and opens with the keys of the running Worker. */
export const sealedRows = new SealedRows(new SecretBox(services.secrets.teamKeys));

/** Until everything that was written has its vector and its place in the graph. */
export async function indexed({ teamId, organizationId, shard }: Principal): Promise<void> {
  for (;;) {
    const { state } = await indexTeam(services.indexing, { teamId, organizationId, shard }, Date.now, { deadline: Date.now() + 10_000, memories: 10_000 });
    if (state === "done") return;
    await scheduler.wait(20);
  }
}

type Asked = Partial<Omit<RecallInput, "query">>;

/** Somebody with a key: calls the verbs with a clock of the test's choosing, or the tools of the running Worker. */
export class Person {
  readonly token: string;
  readonly principal: Principal;

  constructor(token: string, principal: Principal) {
    this.token = token;
    this.principal = principal;
  }

  get id(): string {
    return this.principal.userId;
  }

  at(instant: number, tool = "vitest"): Context {
    const { memories, writer, proposals, guard, reversions, intelligence, index, graph, people, semantic, indexingQueue, workflows } = services;
    return { principal: this.principal, now: instant, requestId: "test", tool, report: () => undefined, noteAccess: () => undefined, memories, writer, proposals, guard, reversions, intelligence, index, graph, people, semantic, indexingQueue, workflows };
  }

  call(tool: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    return callTool(this.token, tool, args);
  }

  remember(content: string, fields: Partial<RememberInput> = {}, at = now): Promise<RememberOutcome> {
    return remember(this.at(at), { ...fields, content });
  }

  /** Stores under the key, and answers the memory. */
  async keep(key: string, content: string, fields: Partial<RememberInput> = {}, at = now): Promise<Memory> {
    return (await this.remember(content, { ...fields, key }, at)).memory;
  }

  async recall(asked: Partial<RecallInput>, at = now): Promise<Recalled[]> {
    return (await recall(this.at(at), { limit: 100, minRelevance: 0, ...asked })).items;
  }

  /** Contents found by the words of a question, best first. */
  async search(query: string, asked: Asked = {}, at = now): Promise<string[]> {
    return (await this.recall({ mode: "text", ...asked, query }, at)).map(({ memory }) => memory.content);
  }

  async listed(at = now): Promise<string[]> {
    return (await list(this.at(at), { limit: 1_000 })).memories.map(({ content }) => content);
  }

  /** Commits without telling the index. */
  async commitOnly(content: string, fields: Partial<MemoryState> = {}, at = now): Promise<Memory> {
    const ctx = this.at(at);
    const memory = firstVersion(ctx, newState({ ...fields, content, ownerId: this.id }));
    const [committed] = await commits.commit(this.principal, ctx, [{ memory, action: "create" }]);
    return committed as Memory;
  }
}

/** Tells the index objects of what was committed, as if the news had been on its way until now. */
export async function deliver({ teamId, organizationId, shard }: Principal, memories: Memory[]): Promise<void> {
  const documents = memories.map((memory) => toDocument(memory));
  const [first, last] = [memories[0]?.seq ?? 0, memories.at(-1)?.seq ?? 0];
  for (const name of [`team:${teamId}`, `org:${organizationId}`]) await env.TEAM_INDEX.getByName(name).apply({ teamId, shard }, documents, first, last);
}

/** The session object in which the clients of a person meet. */
export const sessionOf = (who: Person) => env.USER_SESSION.getByName(sessionName(who.principal.teamId, who.id));

export class Team {
  readonly id: string;
  readonly organizationId: string;
  readonly owner: Person;

  constructor(id: string, organizationId: string, owner: Person) {
    this.id = id;
    this.organizationId = organizationId;
    this.owner = owner;
  }

  /** Its write guard lets everything through: for tests of what comes behind it. */
  async trustEverything(): Promise<void> {
    await services.guard.setPolicy(this.owner.principal, this.owner.at(now), { secrets: "store", instructions: "store" });
  }

  async join(role: Role = "member", granted: readonly Scope[] = scopes): Promise<Person> {
    const userId = uuidv7(now);
    await store.createUser({ id: userId, name: role }, now);
    await store.addMember({ teamId: this.id, userId, role }, now);
    return person(this.id, this.organizationId, userId, granted);
  }

  /** Somebody of another team joins this one, too. */
  async admit(somebody: Person, role: Role = "member"): Promise<Person> {
    await store.addMember({ teamId: this.id, userId: somebody.id, role }, now);
    return person(this.id, this.organizationId, somebody.id);
  }

  /** How the index object is told which team is meant. */
  get ref(): TeamShard {
    return { teamId: this.id, shard: this.owner.principal.shard };
  }

  get index() {
    return env.TEAM_INDEX.getByName(`team:${this.id}`);
  }

  /** For tests that look at the tables of the object or damage them: all that was acknowledged is in there. */
  async settle(): Promise<void> {
    await this.index.stats(this.ref);
  }

  get organizationIndex() {
    return env.TEAM_INDEX.getByName(`org:${this.organizationId}`);
  }
}

async function person(teamId: string, organizationId: string, userId: string, granted: readonly Scope[] = scopes): Promise<Person> {
  const { token } = await keyFor({ teamId, organizationId }, userId, granted);
  return new Person(token, await principalOf(token));
}

export async function newTeam(shard?: string): Promise<Team> {
  const { teamId, organizationId, ownerId } = await newTenant(shard);
  return new Team(teamId, organizationId, await person(teamId, organizationId, ownerId));
}

/** Another team of the same organization, with an owner of its own. */
export async function sisterOf(team: Team): Promise<Team> {
  const { organizationId } = team;
  const { teamId } = await store.createTeam({ id: uuidv7(now), organizationId, name: "Sister" }, now);
  const userId = uuidv7(now);
  await store.createUser({ id: userId, name: "Grace" }, now);
  await store.addMember({ teamId, userId, role: "owner" }, now);
  return new Team(teamId, organizationId, await person(teamId, organizationId, userId));
}

/** All that an index has stored, as bytes: what a disk would show. */
export async function segmentsOf(index: Team["index"]): Promise<string> {
  return runInDurableObject(index, (_, state) => {
    const rows = ["fresh", "segments", "chunks", "docs"].flatMap((table) => state.storage.sql.exec(`SELECT * FROM ${table}`).toArray());
    const shown = (value: SqlStorageValue): string => (value instanceof ArrayBuffer ? new TextDecoder("latin1").decode(value) : String(value));
    return rows.flatMap((row) => Object.values(row).map(shown)).join("\n");
  });
}
