import { DomainError } from "../errors.ts";
import { guarded } from "../guarded.ts";
import type { Clock } from "../indexing/stage.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import type { AuditEntry } from "../tenancy/audit-entry.ts";
import { requireAction } from "../tenancy/roles.ts";
import { auditOf, type TenantContext } from "../tenancy/teams.ts";
import type { MasterKeys, WrappedKey } from "./master-keys.ts";
import type { KeyMaintenanceStore, SealedStore, TeamKeyStore } from "./team-key-store.ts";
import { newDataKey, type TeamKeys } from "./team-keys.ts";

export interface RotationPorts {
  masters: MasterKeys;
  keys: TeamKeyStore & KeyMaintenanceStore;
  teamKeys: TeamKeys;
  sealed: SealedStore;
  teams: { listShards(): Promise<string[]>; findTeam(id: string): Promise<TeamRef | undefined> };
  report(event: string, error: unknown): void;
}

/** How long a key is kept after it was replaced: no isolate seals with it after a minute, nor does a request last so long, ms. */
export const keptAfterRotation = 60 * 60 * 1_000;
const keysAtOnce = 100;
const rowsAtOnce = 100;
const teamsAtOnce = 50;

/** A new data key for the team: seals from now on, and the cron brings what was sealed before to it. */
export async function rotateDataKey(ctx: TenantContext & { secrets: Pick<RotationPorts, "masters" | "keys" | "teamKeys"> }): Promise<{ number: number }> {
  requireAction(ctx.principal, "rotate the data key");
  const { masters, keys, teamKeys } = ctx.secrets;
  const { teamId } = ctx.principal;
  const number = ((await keys.keysOf(teamId)).at(-1)?.number ?? 0) + 1;
  const audit: AuditEntry = auditOf(ctx, "team.data-key.rotate", String(number));
  if (!(await keys.insertNext(ctx.principal, await newDataKey(masters, teamId, number), ctx.now, audit))) {
    throw new DomainError("CONFLICT", "Somebody else has just changed this.", { hint: "Look again, and repeat the call if it is still to be done." });
  }
  teamKeys.forget(teamId);
  return { number };
}

/**
 * Does the key rotation that the configuration or an owner asked for, as far as the deadline allows; called every minute, and
 * resumes after a run that died. One team's failure does not stop the others.
 */
export async function keepSecrets(ports: RotationPorts, clock: Clock, deadline: number): Promise<{ rewrapped: number; resealed: number; dropped: number }> {
  const done = { rewrapped: 0, resealed: 0, dropped: 0 };
  if (ports.masters.current === undefined) return done;
  await guarded(ports, "secrets.rewrap", async () => void (done.rewrapped = await rewrap(ports, ports.masters.current ?? "", clock, deadline)));
  await guarded(ports, "secrets.rotate", async () => {
    for (const { team, current, since } of await ports.keys.rotating()) {
      await guarded(ports, "secrets.reseal", async () => {
        const { rows, finished } = await resealTeam(ports, team, current, clock, deadline);
        done.resealed += rows;
        if (!finished || clock() < since + keptAfterRotation) return;
        await ports.keys.dropBefore(team.teamId, current);
        done.dropped += 1;
      });
    }
  });
  // Secrets from before they were sealed: what is left of them is looked for once an hour.
  if (Math.floor(clock() / 60_000) % 60 === 0) {
    await guarded(ports, "secrets.unsealed", async () => void (done.resealed += await sealOld(ports, clock, deadline)));
  }
  return done;
}

/** Under the current master key, so that the ones before it can be taken out of the configuration. */
async function rewrap({ masters, keys, report }: RotationPorts, masterId: string, clock: Clock, deadline: number): Promise<number> {
  let count = 0;
  let after: Pick<WrappedKey, "teamId" | "number"> = { teamId: "", number: 0 };
  while (clock() < deadline) {
    const page = await keys.wrappedByOthers(masterId, after, keysAtOnce);
    for (const key of page) {
      await guarded({ report }, "secrets.rewrap", async () => {
        await keys.replace(key, await masters.wrap(key, await masters.unwrap(key)));
        count += 1;
      });
    }
    const last = page.at(-1);
    if (!last || page.length < keysAtOnce) break;
    after = last;
  }
  return count;
}

async function resealTeam({ sealed, teamKeys }: RotationPorts, team: TeamRef, current: number, clock: Clock, deadline: number): Promise<{ rows: number; finished: boolean }> {
  // This isolate may still remember the key before.
  teamKeys.forget(team.teamId);
  for (let rows = 0; ; ) {
    const count = await sealed.reseal(team, current, rowsAtOnce);
    rows += count;
    if (count === 0) return { rows, finished: true };
    if (clock() >= deadline) return { rows, finished: false };
  }
}

async function sealOld(ports: RotationPorts, clock: Clock, deadline: number): Promise<number> {
  let rows = 0;
  for (const shard of await ports.teams.listShards()) {
    for (const id of await ports.sealed.unsealedTeams(shard, teamsAtOnce)) {
      const team = await ports.teams.findTeam(id);
      if (!team) continue;
      await guarded(ports, "secrets.reseal", async () => {
        const { number } = await ports.teamKeys.sealing(id);
        rows += (await resealTeam(ports, team, number, clock, deadline)).rows;
      });
    }
  }
  return rows;
}
