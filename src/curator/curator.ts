import { Agent, callable, type Connection } from "agents";
import type { CuratorRun, RunKind } from "../domain/curation/run-store.ts";
import { requestDue, workOn } from "../domain/curation/work.ts";
import { uuidv7 } from "../domain/ids.ts";
import type { TeamRef } from "../domain/tenancy/team-ref.ts";
import { upkeepIn } from "../domain/tenancy/upkeep.ts";
import type { CuratorEnv } from "./env.ts";
import { curatorServicesOf } from "./services.ts";
import { Changes } from "./changes.ts";
import { dailyAt } from "./daily-at.ts";

/**
 * After it no step begins. The last one may take as long as a model, twice INTELLIGENCE_TIMEOUT_MS, which is ten minutes at most: together
 * below the 15 minutes that an alarm has.
 */
const turnMs = 30_000;
const shownRuns = 20;
/** Nobody waits longer for a change. */
const longestWaitMs = 20_000;

export interface CuratorState {
  /** As it stands in the shard: no step begins until it is taken back. */
  isPaused: boolean;
  /** The run that is at work. */
  present: CuratorRun | null;
  /** The last ones that ended, newest first. */
  ended: CuratorRun[];
}

/**
 * The curator of one team, whose id is its name: does what is due, a turn of half a minute at a time, and shows its runs in its
 * state. The truth about runs is in the shard; whatever is lost here is found again there.
 */
export class Curator extends Agent<Cloudflare.Env, CuratorState> {
  override initialState: CuratorState = { isPaused: false, present: null, ended: [] };
  // The generated `Env` is the main Worker's.
  readonly #services = curatorServicesOf(this.env as unknown as CuratorEnv);
  readonly #changes = new Changes();
  #turn: Promise<void> | undefined;

  /** Does what there is to do, soon and not before it answers; and from then on every day. Told twice, it does it once. A pause holds at once. */
  async wake(team: TeamRef): Promise<void> {
    if (team.teamId !== this.name) throw new Error("This is the curator of another team");
    await this.#heedPause(team);
    await this.schedule(dailyAt(team.teamId), "work", {}, { idempotent: true });
    // Not idempotent: the row of a turn at work is there until it ends, and would swallow this one.
    await this.schedule(0, "work", {});
  }

  /** For a look at the server's health. @throws when the model's service does not answer */
  async modelState(team: TeamRef): Promise<"ok" | "off"> {
    if (team.teamId !== this.name) throw new Error("This is the curator of another team");
    return this.#services.modelState(team);
  }

  /** Answers when a run has changed, or the time is up; what it is by then stands in the shard. Without a mark, or with an old one, at once. */
  async changed(team: TeamRef, seen: string | undefined, waitMs: number): Promise<string> {
    if (team.teamId !== this.name) throw new Error("This is the curator of another team");
    return this.#changes.since(seen, Math.min(waitMs, longestWaitMs));
  }

  /** Called by the schedule, and by any number of its wake-ups at once. */
  async work(): Promise<void> {
    this.#turn ??= this.#takeTurn().finally(() => {
      this.#turn = undefined;
    });
    return this.#turn;
  }

  @callable()
  async startRun(kind: RunKind): Promise<CuratorRun | undefined> {
    return this.#request(kind, false);
  }

  @callable()
  async dryRun(kind: RunKind): Promise<CuratorRun | undefined> {
    return this.#request(kind, true);
  }

  /** Ends the run at work. What it has done stays, until it is undone. */
  @callable()
  async stopRun(): Promise<void> {
    const principal = upkeepIn(await this.#team(), "");
    const { runs } = this.#services;
    const run = await runs.open(principal);
    if (!run) return;
    await runs.end(principal, run.id, { now: Date.now(), state: "stopped" });
    this.#show(await runs.find(principal, run.id));
  }

  @callable()
  async listRuns(): Promise<CuratorRun[]> {
    return this.#services.runs.list(upkeepIn(await this.#team(), ""), shownRuns);
  }

  /** No client sets the state, and none connects: the Worker has no door that leads here. */
  override validateStateChange(_next: CuratorState, source: Connection | "server"): void {
    if (source !== "server") throw new Error("The state is the curator's own");
  }

  override onConnect(connection: Connection): void {
    connection.close(1008, "not open");
  }

  async #request(kind: RunKind, isDry: boolean): Promise<CuratorRun | undefined> {
    const team = await this.#team();
    const now = Date.now();
    const run = await this.#services.runs.request(upkeepIn(team, ""), { id: uuidv7(now), kind, isDry, cursor: "", now });
    await this.schedule(0, "work", {});
    return run;
  }

  async #takeTurn(): Promise<void> {
    const team = await this.#services.teams.findTeam(this.name);
    // Erased, or about to be.
    if (!team) return this.destroy();
    const { work } = this.#services;
    try {
      await this.#heedPause(team);
      const retryAt = await requestDue(work, team, Date.now());
      // A schedule keeps whole seconds. Of the same instant there is one, however many turns find it.
      if (retryAt !== undefined) await this.schedule(new Date(retryAt + 1_000), "work", { retryAt }, { idempotent: true });
      const outcome = await workOn(work, team, Date.now, {
        deadline: Date.now() + turnMs,
        mayGoOn: () => !this.state.isPaused,
        onProgress: (run) => this.#show(run),
      });
      // Another run may wait behind the one that ended.
      if (outcome.state !== "idle") await this.schedule(1, "work", {});
      // Stopped while no turn was at work.
      else if (this.state.present) this.#show(await work.runs.find(upkeepIn(team, ""), this.state.present.id));
    } catch (error) {
      // The cron finds the run within a minute, and wakes this object again.
      this.#services.report("curator.turn", error);
    }
  }

  async #heedPause(team: TeamRef): Promise<void> {
    const isPaused = (await this.#services.runs.pause(upkeepIn(team, ""))) !== undefined;
    if (isPaused !== this.state.isPaused) this.setState({ ...this.state, isPaused });
    // Also of runs that were asked for or stopped: whoever watches looks at the shard.
    this.#changes.note();
  }

  #show(run: CuratorRun | undefined): void {
    this.#changes.note();
    if (!run) return;
    const { ended, ...rest } = this.state;
    if (run.endedAt === null) this.setState({ ...rest, ended, present: run });
    else this.setState({ ...rest, present: null, ended: [run, ...ended.filter(({ id }) => id !== run.id)].slice(0, shownRuns) });
  }

  async #team(): Promise<TeamRef> {
    const team = await this.#services.teams.findTeam(this.name);
    if (!team) throw new Error("There is no such team");
    return team;
  }
}
