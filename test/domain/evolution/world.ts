import { env } from "cloudflare:workers";
import { type CuratorServices, curatorServicesOf } from "../../../src/curator/services.ts";
import { type CuratorEnv } from "../../../src/curator/env.ts";
import type { RunKind } from "../../../src/domain/curation/run-store.ts";
import { requestDue, type TurnOutcome, workOn, type WorkPorts } from "../../../src/domain/curation/work.ts";
import type { RememberInput } from "../../../src/domain/memories/remember.ts";
import type { Memory } from "../../../src/domain/memories/memory.ts";
import type { TeamRef } from "../../../src/domain/tenancy/team-ref.ts";
import { day, now, type Person, type Team } from "../../support/team.ts";

/** The curator's services as its Worker composes them, over the databases and the team objects of the product. */
export const curator: CuratorServices = curatorServicesOf(env as unknown as CuratorEnv);

export const refOf = ({ owner: { principal } }: Team): TeamRef => ({ teamId: principal.teamId, organizationId: principal.organizationId, shard: principal.shard });

/** Stored so many days ago, and read so often since, the last time just now. */
export async function aged(who: Person, content: string, { days, reads = 0, ...fields }: { days: number; reads?: number } & Partial<RememberInput>): Promise<Memory> {
  const { memory } = await who.remember(content, { allowDuplicate: true, ...fields }, now - days * day);
  if (reads > 0) {
    await env.SHARD_0.prepare("UPDATE memories SET access_count = ?2, accessed_at = ?3 WHERE id = ?1").bind(memory.id, reads, now).run();
  }
  return memory;
}

export type Work = { work: WorkPorts };

/** The curator with one kind of work alone. */
export const only = (kind: RunKind): Pick<CuratorServices, "work"> => ({ work: { ...curator.work, kinds: curator.work.kinds.filter(({ name }) => name === kind) } });

/** A turn of what is due; answers what came of it. */
export async function curate(team: Team, at = now, { work }: Pick<CuratorServices, "work"> = only("evolution"), mayGoOn = () => true): Promise<TurnOutcome> {
  await requestDue(work, refOf(team), at);
  return workOn(work, refOf(team), () => at, { deadline: at + 1_000, mayGoOn, onProgress: () => undefined });
}

/** Not to be repeated where the answer of a call is lost: it was carried out, and nobody heard. */
export const deaf = ({ work }: Work, lost: string): Work => ({
  work: {
    ...work,
    report: () => undefined,
    runs: new Proxy(work.runs, {
      get: (runs, name) => async (...args: unknown[]) => {
        const answer: unknown = await (Reflect.get(runs, name) as (...args: unknown[]) => Promise<unknown>).apply(runs, args);
        if (name === lost) throw new Error("killed");
        return answer;
      },
    }),
  },
});
