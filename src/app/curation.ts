import type { RunStore } from "../domain/curation/run-store.ts";
import type { CuratorClient } from "../domain/curation/runs.ts";
import type { EvolutionPolicyStore } from "../domain/evolution/evolution-policy.ts";
import type { LinkUndoStore } from "../domain/evolution/link-decay.ts";
import type { TeamRef } from "../domain/tenancy/team-ref.ts";
import { withTimeout } from "../domain/timeout.ts";
import { D1EvolutionStore } from "../platform/d1/evolution-store.ts";
import { D1LinkUndoStore } from "../platform/d1/link-undo-store.ts";
import { D1RunStore } from "../platform/d1/run-store.ts";
import type { Base } from "./base.ts";

/** What people may ask of the curator, which is a Worker of its own (`src/curator`). */
export interface Curation {
  runs: RunStore;
  evolution: EvolutionPolicyStore;
  linkChanges: LinkUndoStore;
  curator: CuratorClient;
}

/** Optional, so that this Worker deploys before the other one exists; without it a run begins when the curator's cron finds it. */
interface CuratorBinding {
  CURATOR?: { getByName(name: string): { wake(team: TeamRef): Promise<unknown>; changed(team: TeamRef, seen: string | undefined, waitMs: number): Promise<string> } };
}

const wakeMs = 2_000;
/** Without a curator that answers, whoever watches looks again after this. */
const lookMs = 2_000;

export function curationOf(env: Env, { shardOf, report }: Pick<Base, "shardOf" | "report">): Curation {
  const { CURATOR: curators } = env as unknown as CuratorBinding;
  return {
    runs: new D1RunStore(shardOf),
    evolution: new D1EvolutionStore(shardOf),
    linkChanges: new D1LinkUndoStore(shardOf),
    curator: {
      wake: async (team) => {
        if (!curators) return;
        await withTimeout(wakeMs, curators.getByName(team.teamId).wake(team)).catch((error: unknown) => report("curator.wake", error));
      },
      changed: async (team, seen, waitMs) => {
        try {
          if (curators) return await withTimeout(waitMs + wakeMs, curators.getByName(team.teamId).changed(team, seen, waitMs));
        } catch (error) {
          report("curator.changed", error);
        }
        if (seen !== undefined) await new Promise((resolve) => setTimeout(resolve, Math.min(lookMs, waitMs)));
        return "";
      },
    },
  };
}
