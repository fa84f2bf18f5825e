import type { DrawnContribution } from "../../../domain/graph/graph-store.ts";
import type { TeamShard } from "../source.ts";
import { maxMentions, type FilledPack, type GraphCopy } from "./graph-copy.ts";
import { GraphSource, type GraphChecksum, type MentionPage, type NodePage } from "./graph-source.ts";
import type { NewNode } from "./node-table.ts";

/** The team object that holds the copy. */
interface Host {
  copy: GraphCopy;
  shard(name: string): D1Database;
  /** In one transaction; when that is taken back, the copy forgets what it has in memory. */
  atomically(work: () => void): void;
  /** Follows the memories of the team at least up to `seq`, and answers how far it has come. */
  catchUp(team: TeamShard, seq: number): Promise<number>;
  waitUntil(work: Promise<unknown>): void;
}

/** After reading the graph failed, D1 is left alone for a while, ms. */
const pauseAfterFailure = 30_000;

/**
 * Keeps the object's copy of the graph equal to D1. The copy is read whole, in pages, when it is first asked for. From then
 * on each change reaches it after D1's commit: the stage that draws the graph hands over what it drew and fails when it
 * cannot, so that it comes again; changes of links are read from D1. What is lost all the same is noticed by `verify`.
 */
export class GraphFollowing {
  readonly #host: Host;
  #reading: Promise<void> | undefined;
  #notBefore = 0;
  /** Links are read from D1 and stored one reading after the other, so that an earlier one never replaces a later one. */
  #lastLinks: Promise<unknown> = Promise.resolve();

  constructor(host: Host) {
    this.#host = host;
  }

  /** The copy, when it may be asked. Otherwise D1 answers, and the copy is read in the background. */
  ask(team: TeamShard, now: number): GraphCopy | undefined {
    const { copy } = this.#host;
    if (copy.state === "complete") return copy;
    if (copy.state === "absent" && !this.#reading && now >= this.#notBefore) this.#host.waitUntil(this.read(team, now));
    return undefined;
  }

  /** Reads the graph from D1; calls at the same time share one reading. */
  read(team: TeamShard, now: number): Promise<void> {
    this.#reading ??= this.#read(team)
      .catch(() => {
        this.#notBefore = now + pauseAfterFailure;
        this.invalidate();
      })
      .finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Takes what was drawn from memories and that their links changed, both committed in D1; `also` runs in the same transaction. */
  async take(team: TeamShard, contributions: readonly DrawnContribution[], memoryIds: readonly string[], also: () => void): Promise<void> {
    const { copy, atomically } = this.#host;
    if (copy.state !== "filling" && copy.state !== "complete") {
      // Whoever reads the graph from now on reads this with it.
      atomically(also);
      return;
    }
    const ids = [...new Set(memoryIds)];
    await this.#inOrder(async () => {
      const links = await this.#source(team).linksOf(ids);
      atomically(() => {
        copy.put(contributions);
        copy.putLinks(ids, links);
        also();
      });
    });
  }

  /** The copy may lack something: it is read anew when it is next asked for. */
  invalidate(): void {
    const { copy, atomically } = this.#host;
    if (copy.state !== "absent") atomically(() => copy.clear());
  }

  /** Compares with D1, and drops the copy on any difference. Answers whether it had to. */
  async verify(team: TeamShard): Promise<boolean> {
    const { copy } = this.#host;
    if (copy.state === "absent" || this.#reading) return false;
    return this.#inOrder(async () => {
      const truth = await this.#source(team).checksum();
      const applied = await this.#host.catchUp(team, 0);
      if (copy.state === "too-large" ? mentionsIn(truth) > maxMentions : isSame(truth, copy)) return false;
      // Somebody writes, or the graph is being drawn: the copy lags, which says nothing about what it holds.
      if (copy.state === "complete" && (truth.seq !== applied || truth.drawn < truth.seq)) return false;
      this.invalidate();
      return true;
    });
  }

  async #read(team: TeamShard): Promise<void> {
    const { copy, atomically } = this.#host;
    const source = this.#source(team);
    const truth = await source.checksum();
    if (mentionsIn(truth) > maxMentions) {
      atomically(() => copy.clear("too-large"));
      return;
    }
    await this.#host.catchUp(team, truth.seq);
    atomically(() => copy.clear("filling"));
    const names = await this.#readNodes((from) => source.names(from), (nodes, rowOf) => copy.fillNames(nodes, rowOf));
    const relationships = await this.#readNodes((from) => source.relationships(from), (nodes, rowOf) => copy.fillRelationships(nodes, rowOf));
    for (let from: string | undefined = ""; from !== undefined && this.#isReading; ) {
      const page: MentionPage = await source.mentions(from);
      this.#fill(() => copy.fillContributions(page.memories.flatMap((memory) => packFrom(memory, names, relationships))));
      from = page.next;
    }
    for (let from: [string, string, string] | undefined = ["", "", ""]; from && this.#isReading; ) {
      const start: [string, string, string] = from;
      from = await this.#inOrder(async () => {
        const page = await source.links(start);
        this.#fill(() => copy.fillLinks(page.links));
        return page.next;
      });
    }
    this.#fill(() => copy.complete());
  }

  async #readNodes<R>(read: (from?: { id: string; row: number }) => Promise<NodePage<R>>, fill: (nodes: NewNode<R>[], rowOf: (index: number) => number) => number[]): Promise<Map<number, number>> {
    const rows = new Map<number, number>();
    for (let from: { id: string; row: number } | undefined = { id: "", row: 0 }; from && this.#isReading; ) {
      const page: NodePage<R> = await read(from);
      this.#fill(() => {
        const here = fill(page.nodes, (i) => page.rows[i] as number);
        for (const [i, row] of page.rows.entries()) rows.set(row, here[i] as number);
      });
      from = page.next;
    }
    return rows;
  }

  /** It ends when the copy was dropped meanwhile, or became too large. */
  get #isReading(): boolean {
    return this.#host.copy.state === "filling";
  }

  #fill(work: () => void): void {
    if (this.#isReading) this.#host.atomically(work);
  }

  #source({ teamId, shard }: TeamShard): GraphSource {
    return new GraphSource(this.#host.shard(shard), teamId);
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lastLinks.then(work);
    // Whoever asked for it hears of a failure.
    this.#lastLinks = result.catch(() => undefined);
    return result;
  }
}

const mentionsIn = ({ totals }: GraphChecksum): number => totals.nameMentions + totals.relationshipMentions;

const isSame = ({ totals }: GraphChecksum, copy: GraphCopy): boolean => JSON.stringify(totals) === JSON.stringify(copy.totals());

/** Names that came after they were read are handed over by the stage that drew them, with all that their memory contributes. */
function packFrom({ id, version, home, expiresAt, names, relationships }: MentionPage["memories"][number], nameRows: Map<number, number>, relationshipRows: Map<number, number>): FilledPack[] {
  const isKnown = names.every(([row]) => nameRows.has(row)) && relationships.every(([row]) => relationshipRows.has(row));
  if (!isKnown) return [];
  const here = <M extends [number, ...unknown[]]>(mentions: M[], rows: Map<number, number>): M[] => mentions.map(([row, ...rest]) => [rows.get(row), ...rest] as M);
  return [{ version, pack: [id, home, expiresAt, here(names, nameRows), here(relationships, relationshipRows)] }];
}
