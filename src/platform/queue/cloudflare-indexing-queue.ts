import type { IndexingQueue } from "../../domain/indexing/indexing-queue.ts";
import type { TeamRef } from "../../domain/tenancy/team-ref.ts";

/** How long a message waits, so that one is enough for all writes of that time. */
const delaySeconds = 1;
/** A little shorter: a write at its very end must find the message not yet delivered. */
const windowMs = 900;
/** Far more teams than write through one isolate within a second. */
const mostTeams = 1_000;

/** Instants by team; of the isolate, in which several sessions of a team may live. */
const sentAt = new Map<string, number>();

/** Announces teams on the queue: of each at most one message is under way from this isolate. */
export class CloudflareIndexingQueue implements IndexingQueue {
  readonly #queue: Queue<TeamRef>;
  readonly #report: (event: string, error: unknown) => void;

  constructor(queue: Queue<TeamRef>, report: (event: string, error: unknown) => void) {
    this.#queue = queue;
    this.#report = report;
  }

  enqueue(team: TeamRef): void {
    const now = Date.now();
    if (now - (sentAt.get(team.teamId) ?? 0) < windowMs) return;
    if (sentAt.size >= mostTeams) sentAt.clear();
    sentAt.set(team.teamId, now);
    void this.#send(team);
  }

  async #send(team: TeamRef): Promise<void> {
    try {
      await this.#queue.send(team, { delaySeconds });
    } catch (error) {
      // The next write tries again, and the sweep finds the team in any case.
      sentAt.delete(team.teamId);
      this.#report("queue.send", error);
    }
  }
}
