import type { EventBus, EventPage, TeamEvent } from "../../domain/events/team-event.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import type { TeamIndex } from "./team-index.ts";

/** The bus is in the team's object, where its memories are written. */
export class TeamEventBus implements EventBus {
  readonly #namespace: DurableObjectNamespace<TeamIndex>;

  readonly #report: (event: string, error: unknown) => void;

  constructor(namespace: DurableObjectNamespace<TeamIndex>, report: (event: string, error: unknown) => void) {
    this.#namespace = namespace;
    this.#report = report;
  }

  async events(principal: Principal, which: { after: number | undefined; waitMs: number }): Promise<EventPage> {
    return this.#team(principal).events(principal, which);
  }

  /** The person's session is told of what happens from now on. */
  async watch(principal: Principal, now: number): Promise<void> {
    await this.#team(principal).watch(principal, now);
  }

  /** Never fails. */
  async publish(teamId: string, events: TeamEvent[]): Promise<void> {
    await (async () => this.#team({ teamId }).publish(events))().catch((error: unknown) => this.#report("events.publish", error));
  }

  #team({ teamId }: { teamId: string }) {
    return this.#namespace.getByName(`team:${teamId}`);
  }
}
