import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { callTool } from "../../launcher/call-tool.ts";
import { withDatabase, withDirectory, withShard } from "../../launcher/directory-file.ts";
import { EventListener } from "../../support/event-listener.ts";
import { Product } from "../durability-product.ts";

const day = 86_400_000;

export type Run = Record<string, any> & { run: string };
export interface RunOnDisk {
  state: string;
  lookedAt: number;
}

/** The product with its curator, on a data directory of its own, whose person administers the team. */
export class CuratedProduct {
  readonly #dataDir: string;
  #product: Product | undefined;
  #team = "";

  private constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  static async start(): Promise<CuratedProduct> {
    const made = new CuratedProduct(mkdtempSync(join(tmpdir(), "omnimemory-curator-")));
    await made.start();
    await made.kill();
    // The local key as one that its person made themselves, to administer the team with.
    withDirectory(made.#dataDir, (db) => db.exec(`UPDATE api_keys SET scopes = '["memory:read","memory:write","memory:admin"]', name = 'mine'`));
    await made.start();
    return made;
  }

  /** One that is as this one is; this one is stopped. */
  async copy(): Promise<CuratedProduct> {
    await this.kill();
    const made = new CuratedProduct(mkdtempSync(join(tmpdir(), "omnimemory-curator-")));
    cpSync(this.#dataDir, made.#dataDir, { recursive: true });
    return made;
  }

  async start(): Promise<void> {
    this.#product = await Product.start(this.#dataDir);
    this.#team = (await this.rest("GET", "")).teams[0].id as string;
  }

  async kill(): Promise<void> {
    await this.#product?.kill();
    this.#product = undefined;
  }

  async discard(): Promise<void> {
    await this.kill();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  get running(): Product {
    if (!this.#product) throw new Error("it is stopped");
    return this.#product;
  }

  async rest(method: string, path: string, body?: unknown): Promise<Record<string, any>> {
    const { url, apiKey } = this.running.access;
    const answer = await fetch(new URL(`/v1/teams${path}`, url), {
      method,
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, any>;
  }

  /** Below the team's path. */
  async ofTeam(method: string, path: string, body?: unknown): Promise<Record<string, any>> {
    return this.rest(method, `/${this.#team}${path}`, body);
  }

  /** Events as they happen, below the team's path. */
  async listen(path: string): Promise<EventListener> {
    const { url, apiKey } = this.running.access;
    return new EventListener(await fetch(new URL(`/v1/teams/${this.#team}${path}`, url), { headers: { authorization: `Bearer ${apiKey}`, accept: "text/event-stream" } }));
  }

  async call(tool: string, args: Record<string, unknown>): Promise<Record<string, any>> {
    const { structured, error } = await callTool(this.running.access, tool, args);
    if (error) throw new Error(`${tool}: ${error.message}`);
    return structured;
  }

  async import(memories: readonly Record<string, unknown>[]): Promise<void> {
    for (let at = 0; at < memories.length; at += 200) await this.call("omn_import_memories", { memories: memories.slice(at, at + 200) });
  }

  /** Every memory with its history. */
  async exported(): Promise<string> {
    let data = "";
    for (let cursor: string | undefined; ; ) {
      const page = await this.call("omn_export_memories", { limit: 1_000, include_history: true, ...(cursor === undefined ? {} : { cursor }) });
      data += page["data"] as string;
      cursor = page["next_cursor"] as string | undefined;
      if (cursor === undefined) return data;
    }
  }

  async startRun(kind: string): Promise<string> {
    return ((await this.ofTeam("POST", "/runs", { kind })).run as Run).run;
  }

  async run(id: string): Promise<Run> {
    return (await this.ofTeam("GET", `/runs/${id}`)).run as Run;
  }

  /** As soon as it is as wanted. */
  async runThat(id: string, isWanted: (run: Run) => boolean): Promise<Run> {
    for (const started = performance.now(); performance.now() - started < 90_000; ) {
      const run = await this.run(id);
      if (isWanted(run)) return run;
      await sleep(200);
    }
    throw new Error(`the run did not come so far:\n${this.running.output}`);
  }

  async ended(id: string): Promise<Run> {
    return this.runThat(id, ({ ended_at: at }) => at !== null);
  }

  /**
   * Kills it as soon as the run stands as wanted on the disk, or has ended; `after`: so many ms later. It is frozen for each look, as a run would
   * be over between two questions to a busy server, and dies as it was seen: once it moves, the run may end before the kill arrives.
   */
  async killWhen(id: string, isWanted: (left: RunOnDisk) => boolean, after = 0): Promise<RunOnDisk> {
    for (const started = performance.now(); performance.now() - started < 90_000; ) {
      this.running.freeze();
      const left = this.#onDisk(id);
      const isSoFar = isWanted(left) || left.state === "done";
      if (isSoFar && after === 0) await this.kill();
      else this.running.thaw();
      if (isSoFar) {
        await sleep(after);
        await this.kill();
        return this.#onDisk(id);
      }
      await sleep(10);
    }
    throw new Error(`the run did not come so far:\n${this.running.output}`);
  }

  /** The same of an import; answers how many entries were done. */
  async killJobWhen(id: string, isWanted: (done: number) => boolean): Promise<number> {
    for (const started = performance.now(); performance.now() - started < 90_000; ) {
      this.running.freeze();
      const done = this.#doneOnDisk(id);
      if (isWanted(done)) {
        await this.kill();
        return this.#doneOnDisk(id);
      }
      this.running.thaw();
      await sleep(10);
    }
    throw new Error(`the job did not come so far:\n${this.running.output}`);
  }

  #doneOnDisk = (id: string): number => this.#looked((db) => Number((db.prepare("SELECT done FROM jobs WHERE id = ?").get(id) as { done: number }).done));

  #onDisk(id: string): RunOnDisk {
    return this.#looked((db) => {
      const { state, counts } = db.prepare("SELECT state, counts FROM curator_runs WHERE id = ?").get(id) as { state: string; counts: string };
      return { state, lookedAt: Number(JSON.parse(counts).looked_at ?? 0) };
    });
  }

  /** From a copy of the files, which leaves those alone that are in use. */
  #looked<T>(use: (db: DatabaseSync) => T): T {
    const copy = mkdtempSync(join(tmpdir(), "omnimemory-look-"));
    try {
      cpSync(this.#d1, copy, { recursive: true });
      return withDatabase(copy, "curator_runs", use);
    } finally {
      rmSync(copy, { recursive: true });
    }
  }

  get #d1(): string {
    return join(this.#dataDir, "state", "d1");
  }

  /** The database of its memories, while it is stopped. */
  withShard<T>(use: (db: DatabaseSync) => T): T {
    return withShard(this.#dataDir, use);
  }

  /** The memories as they would be so many days later: no test can wait for it. It is stopped. */
  grow(days: number): void {
    this.withShard((db) => db.exec(`UPDATE memories SET created_at = created_at - ${days * day}, updated_at = updated_at - ${days * day}; UPDATE versions SET at = at - ${days * day}`));
  }

  /** Versions that the curator made, and the most of one memory. It is stopped. */
  evolved(): { of: number; most: number } {
    const found = this.withShard((db) => db.prepare("SELECT count(*) AS of, max(n) AS most FROM (SELECT count(*) AS n FROM versions WHERE action = 'evolve' GROUP BY memory_id)").get());
    return { ...(found as { of: number; most: number }) };
  }
}
