import { DurableObject } from "cloudflare:workers";
import type { EventPage, TeamEvent } from "../../domain/events/team-event.ts";
import type { Principal } from "../../domain/tenancy/principal.ts";
import { EventLog } from "./event-log.ts";

export interface EventOptions {
  /** Tells a member's session of events that they may hear of. False where nobody there watches. */
  tellSession(teamId: string, userId: string, events: TeamEvent[]): Promise<boolean>;
  report(event: string, error: unknown): void;
}

/** An object that tells of what happens in it. */
export class EventObject extends DurableObject<Env> {
  readonly #events: EventLog;
  readonly #report: EventOptions["report"];

  constructor(ctx: DurableObjectState, env: Env, { tellSession, report }: EventOptions) {
    super(ctx, env);
    this.#report = report;
    const teamId = ctx.id.name?.slice("team:".length) ?? "";
    this.#events = new EventLog(ctx.storage.sql, {
      tell: (userId, events) => tellSession(teamId, userId, events),
      later: (work) => this.#later(work),
    });
  }

  /** What this person may hear after the event `after`, or from now on. */
  events(principal: Principal, { after, waitMs }: { after: number | undefined; waitMs: number }): Promise<EventPage> {
    return this.#events.read(principal, after, waitMs);
  }

  /** The person's session is told from now on. */
  watch(principal: Principal, now: number): void {
    this.#events.watch(principal.userId, now);
  }

  /** Of something that happened elsewhere. */
  publish(events: TeamEvent[]): void {
    this.#events.add(events);
  }

  /** What cannot be told is no fault of what happened. */
  protected tell(events: () => TeamEvent[]): void {
    try {
      this.#events.add(events());
    } catch (error) {
      this.#report("events", error);
    }
  }

  #later(work: Promise<unknown>): void {
    this.ctx.waitUntil(work.catch((error: unknown) => this.#report("events", error)));
  }
}
