import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { newBootstrapLink } from "../../src/domain/tenancy/sign-in-link.ts";
import { consent, OAuthClient, type Tokens } from "../http/oauth/client.ts";
import { send } from "../http/raw.ts";
import { Browser, signInStore } from "../http/web/browser.ts";
import type { Principal, Role } from "./model.ts";
import { Roster } from "./roster.ts";
import { TestServer, type Answer, type Membership } from "./test-server.ts";

export const everyScope = ["memory:read", "memory:write", "memory:admin"] as const;

/** One way to act for a person in a team: a key, a client's grant, or the person's browser. */
export interface Credential extends Principal {
  kind: "key" | "grant" | "web";
  /** Revoked, or its person left: for good, whoever comes back. */
  ended: boolean;
}

export interface Person {
  user: string;
  name: string;
  browser: Browser;
}

/** One for all towns: registering is limited. */
let client: OAuthClient | undefined;

/** A world whose people come, go and become something else, by what the product offers for that and by nothing else. */
export class TestTeams extends TestServer {
  readonly people: Person[] = [];
  /** Keys and grants, old ones too. */
  readonly credentials: Credential[] = [];
  /** Every person's browser in every team, whether or not they are in it. */
  readonly seats: Credential[] = [];
  readonly roster = new Roster((team, user) => {
    for (const credential of this.credentials) if (credential.team === team && credential.user === user) credential.ended = true;
  });

  static async settled(members: Membership[], people: number): Promise<TestTeams> {
    const server = new TestTeams();
    await server.found(members);
    for (const { team, user, role } of server.principals) if (server.roster.roleOf(team, user) === undefined) server.roster.set(team, user, role);
    for (let i = 0; i < people; i += 1) {
      const user = await server.user(i);
      const browser = new Browser();
      await browser.post("/sign-in/link", { token: (await newBootstrapLink(signInStore, user, Date.now())) ?? "" });
      server.people.push({ user, name: `User ${i}`, browser });
    }
    server.credentials.push(...server.principals.splice(0).map((p) => ({ ...p, kind: "key" as const, ended: false })));
    server.principals.push(...server.credentials);
    for (const { user, name } of server.people) {
      for (const [i, { id, organization }] of server.teams.entries()) {
        server.seats.push({ name: `${name} in a browser, in team ${i}`, kind: "web", token: "", user, team: id, organization, role: "viewer", scopes: [...everyScope], active: false, ended: false });
      }
    }
    server.follow();
    return server;
  }

  /** What everybody is by now, for the model of the memories. */
  follow(): void {
    for (const one of [...this.credentials, ...this.seats]) {
      const role = this.roster.roleOf(one.team, one.user);
      Object.assign(one, { active: role !== undefined && !one.ended, role: role ?? one.role });
    }
  }

  issued(of: Pick<Principal, "user" | "team" | "organization">, credential: { kind: "key" | "grant"; token: string; keyId?: string; scopes: string[] }): void {
    const { user, team, organization } = of;
    const { kind, scopes } = credential;
    const name = `${this.person(user).name} by ${kind} no. ${this.credentials.length} in team ${this.teams.findIndex(({ id }) => id === team)} (${scopes.map((scope) => scope.slice(7)).join(", ")})`;
    const made: Credential = { ...credential, name, user, team, organization, role: "viewer", active: true, ended: false };
    this.credentials.push(made);
    this.principals.push(made);
    this.follow();
  }

  person(user: string): Person {
    return this.people.find((one) => one.user === user) as Person;
  }

  override strangersTo({ organization }: Principal): string[] {
    const teams = this.teams.filter((team) => team.organization === organization);
    return this.people.map(({ user }) => user).filter((user) => !teams.some(({ id }) => this.roster.wasIn(id, user)));
  }

  /** A request to the REST interface, below the path of the caller's team. */
  async rest(p: Credential, method: string, path: string, body?: unknown): Promise<Answer> {
    const whole = `/v1/teams/${p.team}${path}`;
    const response = p.kind === "web" ? await this.person(p.user).browser.json(method, whole, body) : await send({ token: p.token, method, path: whole, body: body ?? "" });
    return this.#answer(response, method, path);
  }

  /** What is a person's, whatever team they are in. */
  async asPerson(person: Person, method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#answer(await person.browser.json(method, path, body), method, path);
  }

  async #answer(response: Response, method: string, path: string): Promise<Answer> {
    const raw = new TextDecoder().decode(await response.arrayBuffer());
    const isJson = (response.headers.get("content-type") ?? "").includes("application/json");
    const structured = (isJson ? JSON.parse(raw) : {}) as Record<string, unknown>;
    const { error } = structured as { error?: { code: string } };
    const route = path.replace(/\?.*/, "").replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ":id").replace(/(?<=keys\/).*/, ":key");
    const outcome = method === "GET" ? `GET ${response.status}` : `${method} ${route} ${response.status}`;
    this.answered.set(outcome, (this.answered.get(outcome) ?? 0) + 1);
    return { status: response.status, raw, structured, text: "", isError: error !== undefined, code: error?.code };
  }

  /** A client is let act for the person. `undefined` when nobody may let it. */
  async connect(person: Person, team: string, scope: string): Promise<Tokens | undefined> {
    client ??= await OAuthClient.registered();
    const { page, answer } = await consent(person.browser, await client.authorizePath({ scope }), { team, scopes: scope.split(" ") });
    if (page.status !== 200) return undefined;
    const code = new URL(answer.headers.get("location") ?? "about:blank").searchParams.get("code");
    return code === null ? undefined : (await client.exchange(code)).json<Tokens>();
  }

  /** Time passes until no link of before is good any more. */
  async outliveLinks(): Promise<void> {
    for (const link of this.roster.links) {
      if (link.state !== "open") continue;
      await env.DB.prepare("UPDATE invitations SET expires_at = ? WHERE id = ?").bind(Date.now() - 1, link.id).run();
      link.state = "expired";
    }
  }

  async membershipsInTruth(): Promise<{ team: string; user: string; role: Role }[]> {
    const { results } = await env.DB.prepare("SELECT team_id AS team, user_id AS user, role FROM memberships WHERE team_id IN (?, ?, ?) ORDER BY 1, 2")
      .bind(...this.teams.map(({ id }) => id))
      .all<{ team: string; user: string; role: Role }>();
    return results;
  }

  /** The directory says the same as the model, and every team has an owner. */
  async checkRoster(): Promise<void> {
    const expected = this.teams.flatMap(({ id }) => this.roster.members(id).map((member) => ({ team: id, ...member })));
    const order = (a: { team: string; user: string }, b: { team: string; user: string }): number => (`${a.team} ${a.user}` < `${b.team} ${b.user}` ? -1 : 1);
    const truth = await this.membershipsInTruth();
    expect(truth.sort(order), "who is what in which team").toEqual(expected.sort(order));
    for (const { id } of this.teams) expect(truth.filter(({ team, role }) => team === id && role === "owner").length, "a team always has an owner").toBeGreaterThan(0);
  }
}
