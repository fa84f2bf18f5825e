import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { defaultGuard, type GuardPolicy, type GuardPolicyStore } from "../../domain/guard/guard-policy.ts";
import type { WriteContext } from "../../domain/memories/memory-store.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { auditMemories } from "./memory-audit.ts";
import { teamPolicies } from "./review-schema.ts";
import type { ShardOf } from "./shard-of.ts";

const setPolicy = `INSERT INTO team_policies (team_id, secret_policy, instruction_policy) VALUES (?1, ?2, ?3)
  ON CONFLICT (team_id) DO UPDATE SET secret_policy = excluded.secret_policy, instruction_policy = excluded.instruction_policy`;

export class D1GuardStore implements GuardPolicyStore {
  readonly #shardOf: ShardOf;

  constructor(shardOf: ShardOf) {
    this.#shardOf = shardOf;
  }

  async policy({ teamId, shard }: Principal): Promise<GuardPolicy> {
    const columns = { secrets: teamPolicies.secretPolicy, instructions: teamPolicies.instructionPolicy };
    const [row] = await drizzle(this.#shardOf(shard)).select(columns).from(teamPolicies).where(eq(teamPolicies.teamId, teamId));
    return row ?? defaultGuard;
  }

  async setPolicy(principal: Principal, write: WriteContext, { secrets, instructions }: GuardPolicy): Promise<void> {
    const d1 = this.#shardOf(principal.shard);
    await d1.batch([d1.prepare(setPolicy).bind(principal.teamId, secrets, instructions), auditMemories(d1, principal, write, { action: "guard-policy", count: 0 })]);
  }
}
