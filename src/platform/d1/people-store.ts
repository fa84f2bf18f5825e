import type { D1Database } from "@cloudflare/workers-types";
import { TtlCache } from "../../domain/ttl-cache.ts";
import type { People } from "../../domain/tenancy/people.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";

/** Somebody who leaves is named for so long at most. */
const rememberMs = 60_000;

/** Adds nothing to what a member of the organization may know: whoever is in none of its teams has no name here. */
const namesInOrganization = `SELECT u.id, u.name FROM json_each(?1) j CROSS JOIN users u ON u.id = j.value AND u.deleted_at IS NULL
  WHERE EXISTS (SELECT 1 FROM memberships m JOIN teams t ON t.id = m.team_id AND t.deleted_at IS NULL
    WHERE m.user_id = u.id AND t.organization_id = ?2)`;

/** Names from the directory, remembered for a while; that there is none is remembered as well. */
export class D1PeopleStore implements People {
  readonly #db: D1Database;
  readonly #known = new TtlCache<{ name: string | undefined }>(rememberMs);

  constructor(db: D1Database) {
    this.#db = db;
  }

  async namesOf({ organizationId }: Principal, now: number, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const keyOf = (id: string): string => `${organizationId} ${id}`;
    const found = await this.#known.getAll(userIds.map(keyOf), now, async (unknown) => {
      const asked = userIds.filter((id) => unknown.includes(keyOf(id)));
      const { results } = await this.#db.prepare(namesInOrganization).bind(JSON.stringify(asked), organizationId).all<{ id: string; name: string }>();
      const names = new Map(results.map(({ id, name }) => [id, name]));
      return new Map(asked.map((id) => [keyOf(id), { name: names.get(id) }]));
    });
    return new Map(userIds.flatMap((id) => {
      const name = found.get(keyOf(id))?.name;
      return name === undefined ? [] : [[id, name] as const];
    }));
  }
}
