import { env } from "cloudflare:workers";

export interface RefusalRow {
  subject: string;
  user_id: string;
  credential_id: string;
}

/** What the audit says of refusals in the team, once there are as many: it is written after the answer. */
export async function refusalsIn(teamId: string, count: number): Promise<RefusalRow[]> {
  for (let left = 1_000; ; left -= 1) {
    const { results } = await env.DB.prepare("select subject, user_id, credential_id from audit where team_id = ? and action = 'authorize.refused' order by id").bind(teamId).all<RefusalRow>();
    if (results.length >= count || left === 0) return results;
    await scheduler.wait(20);
  }
}
