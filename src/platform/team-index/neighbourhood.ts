import { withTimeout } from "../../domain/timeout.ts";

/** How long the answers of a team wait for the organization's object, ms. */
const askMs = 500;
/** After a failure nobody asks for so long, ms. */
const pauseMs = 5_000;

/**
 * Whether other teams of the organization have anything public, as the object of a team knows it: the organization's object tells
 * it of the first (`othersPublish`), so that nobody asks there in vain. It stays known when the last goes: then asking finds nothing.
 */
export class Neighbourhood {
  readonly #sql: SqlStorage;
  /** Undefined as long as the organization's object was not asked. */
  #others: boolean | undefined;
  #asking: Promise<void> | undefined;
  #pausedUntil = 0;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS neighbourhood (others INTEGER NOT NULL)");
    const row = sql.exec<{ others: number }>("SELECT max(others) AS others FROM neighbourhood HAVING count(*) > 0").toArray()[0];
    this.#others = row && row.others === 1;
  }

  get others(): boolean {
    return this.#others ?? true;
  }

  /** Whether it knows so for certain: one that has not asked yet must be told, as an older answer may be on its way to it. */
  get isTold(): boolean {
    return this.#others === true;
  }

  /** Asks once. Without an answer the organization's object is asked with every query, and a later call tries again. */
  async ensure(ask: () => Promise<boolean>): Promise<void> {
    if (this.#others !== undefined || Date.now() < this.#pausedUntil) return;
    this.#asking ??= this.#ask(ask).finally(() => (this.#asking = undefined));
    await this.#asking;
  }

  async #ask(ask: () => Promise<boolean>): Promise<void> {
    try {
      const others = await withTimeout(askMs, ask());
      // It may have been told meanwhile.
      if (this.#others === undefined) this.#note(others);
    } catch {
      this.#pausedUntil = Date.now() + pauseMs;
    }
  }

  publish(): void {
    this.#note(true);
  }

  #note(others: boolean): void {
    this.#others = others;
    this.#sql.exec("DELETE FROM neighbourhood");
    this.#sql.exec("INSERT INTO neighbourhood (others) VALUES (?)", others ? 1 : 0);
  }
}

interface PublishersOptions {
  /** Ids of the organization's teams. */
  teams(): Promise<string[]>;
  /** Tells the object of a team that others publish. */
  tell(teamId: string): Promise<void>;
}

/** The teams that have something public, as the object of the organization knows them. */
export class Publishers {
  readonly #sql: SqlStorage;
  readonly #options: PublishersOptions;

  constructor(sql: SqlStorage, options: PublishersOptions) {
    this.#sql = sql;
    this.#options = options;
  }

  /** Whether teams other than this one have anything public, or had: a team is announced once, and nobody is told when it publishes again. */
  others(teamId: string): boolean {
    return this.#sql.exec(
      "SELECT 1 FROM sources WHERE team_id <> ?1 AND announced = 1 UNION ALL SELECT 1 FROM docs WHERE team_id < ?1 UNION ALL SELECT 1 FROM docs WHERE team_id > ?1 LIMIT 1", teamId).toArray().length > 0;
  }

  /** The first public memory of a team: the objects of the others ask here from now on. Awaited before the write is acknowledged. */
  async announce(): Promise<void> {
    const first = this.#sql.exec<{ team_id: string }>(
      "SELECT team_id FROM sources s WHERE announced = 0 AND EXISTS (SELECT 1 FROM docs d WHERE d.team_id = s.team_id)").toArray().map(({ team_id }) => team_id);
    if (first.length === 0) return;
    const others = (await this.#options.teams()).filter((id) => first.length > 1 || id !== first[0]);
    await Promise.all(others.map((id) => this.#options.tell(id)));
    this.#sql.exec("UPDATE sources SET announced = 1 WHERE team_id IN (SELECT value FROM json_each(?))", JSON.stringify(first));
  }
}
