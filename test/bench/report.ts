import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import type { Summary } from "./measure.ts";
import type { PeerFigures, SearchFigures } from "./peers.ts";
import { millis, table, whole } from "./table.ts";

export interface Row extends Partial<Summary> {
  name: string;
  rssMiB?: number | undefined;
  /** p50 of the reference call in the same minutes, and how many of it the row may take. */
  reference?: number;
  limit?: number;
  note?: string;
}

/** How many reference calls a row takes; undefined where it was not held against one. */
export const inReferences = ({ p50, reference }: Row): number | undefined => (p50 === undefined || reference === undefined ? undefined : p50 / reference);
export const isWithin = (row: Row): boolean => row.limit === undefined || (inReferences(row) ?? 0) <= row.limit;

export interface Ratio {
  name: string;
  limit: number;
  /** p50 (or p95, where the name says so) of the row and of what it is held against, from the same run. */
  p50: number;
  referenceP50: number;
}

/** What must be reached, where more is better. */
export interface Share {
  name: string;
  above: number;
  share: number;
}

/** What must not be exceeded. */
export interface Bound {
  name: string;
  most: number;
  value: number;
}

export const ratioOf = (ratio: Ratio): number => ratio.p50 / ratio.referenceP50;
export const meets = (ratio: Ratio): boolean => ratioOf(ratio) <= ratio.limit;
export const keeps = ({ value, most }: Bound): boolean => value <= most;
export const reaches = ({ share, above }: Share): boolean => share > above;

/** What a run has found; everything printed or written comes from here. */
export class Report {
  readonly rows: Row[] = [];
  readonly ratios: Ratio[] = [];
  readonly shares: Share[] = [];
  readonly bounds: Bound[] = [];
  readonly peers: PeerFigures[] = [];
  readonly failures: { stage: string; message: string }[] = [];
  bundle: string | undefined;
  readonly machine = {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    loadAtStart: loadavg()[0] ?? 0,
  };

  row(row: Row): void {
    this.rows.push(row);
    const figure = row.p50 === undefined ? `${whole(row.perSecond)} ${row.note ?? ""}` : `p50 ${millis(row.p50)} ms`;
    const references = inReferences(row);
    progress(`${row.name}: ${figure}${references === undefined ? "" : `, ${references.toFixed(2)} x reference`}`);
  }

  ratio(name: string, limit: number, row: Summary, reference: Summary): void {
    this.ratios.push({ name, limit, p50: row.p50, referenceP50: reference.p50 });
  }

  p95Ratio(name: string, limit: number, row: Summary, reference: Summary): void {
    this.ratios.push({ name, limit, p50: row.p95, referenceP50: reference.p95 });
  }

  bound(name: string, most: number, value: number): void {
    this.bounds.push({ name, most, value });
    progress(`${name}: ${whole(value)}`);
  }

  share(name: string, above: number, share: number): void {
    this.shares.push({ name, above, share });
    progress(`${name}: ${(share * 100).toFixed(1)}%`);
  }

  /** Whether all targets were met. */
  passes(): boolean {
    return this.rows.every(isWithin) && this.ratios.every(meets) && this.shares.every(reaches) && this.bounds.every(keeps);
  }

  toText(): string {
    return [this.#machineText(), this.#rowsText(), this.#peersText(), this.bundle, this.#ratiosText(), this.#sharesText(), this.#boundsText(), this.#failuresText()]
      .filter((part): part is string => part !== undefined && part !== "")
      .join("\n\n");
  }

  toJson(extra: Record<string, unknown>): string {
    const ratios = this.ratios.map((ratio) => ({ ...ratio, ratio: ratioOf(ratio), pass: meets(ratio) }));
    const shares = this.shares.map((share) => ({ ...share, pass: reaches(share) }));
    const bounds = this.bounds.map((bound) => ({ ...bound, pass: keeps(bound) }));
    const rows = this.rows.map((row) => ({ ...row, ...(row.reference === undefined ? {} : { inReferences: inReferences(row), pass: isWithin(row) }) }));
    const { peers, failures, bundle, machine } = this;
    return `${JSON.stringify({ ...extra, machine: { ...machine, loadAtEnd: loadavg()[0] }, rows, ratios, shares, bounds, peers, bundle, failures }, null, 2)}\n`;
  }

  #machineText(): string {
    const { cpu, cores, memoryGiB, node, loadAtStart } = this.machine;
    const busy = loadAtStart > cores / 4 ? "; the machine was busy, expect noise" : "";
    return `${cpu}, ${cores} cores, ${memoryGiB} GiB, Node ${node}, load at start ${loadAtStart.toFixed(2)}${busy}`;
  }

  #rowsText(): string {
    if (this.rows.length === 0) return "";
    const headings = ["row", "p50 ms", "p95 ms", "x ref", "limit", "", "req/s", "bytes", "RSS MiB", "note"];
    const cells = this.rows.map((row) => [
      row.name, millis(row.p50), millis(row.p95), inReferences(row)?.toFixed(2) ?? "–", ...limitCells(row),
      whole(row.perSecond), whole(row.bytes), whole(row.rssMiB), row.note ?? "",
    ]);
    return `${table(headings, cells)}\nx ref: in medians of the reference call (a no-op through the SDK), taken in turns with the row.`;
  }

  #peersText(): string {
    if (this.peers.length === 0) return "";
    const search = ["hits", "bytes"];
    const figures = ["no-op p50", "store p50", "5 words p50", ...search, "1 word p50", ...search, "RSS MiB"];
    const headings = ["memory server", ...figures, "note"];
    const cells = this.peers.map((peer) => [
      peer.name, millis(peer.noOp), millis(peer.store),
      ...searchCells(peer.fiveWords), ...searchCells(peer.oneWord),
      whole(peer.rssMiB), peer.note ?? "",
    ]);
    const legend =
      "All hold the same number of memories. The peers match the query as one substring (no hit costs them little), answer\n" +
      "without a cut (server-memory) or with 10 (libsql), over a pipe; OmniMemory ranks by words and answers 10 over HTTP.";
    return `${table(headings, cells)}\n${legend}`;
  }

  #ratiosText(): string {
    if (this.ratios.length === 0) return "";
    const cells = this.ratios.map((ratio) => [
      ratio.name, ratioOf(ratio).toFixed(2), `≤ ${ratio.limit}`, meets(ratio) ? "PASS" : "FAIL",
      `${millis(ratio.p50)} / ${millis(ratio.referenceP50)} ms`,
    ]);
    return table(["target", "ratio", "limit", "", "p50 / reference"], cells);
  }

  #sharesText(): string {
    if (this.shares.length === 0) return "";
    const cells = this.shares.map((share) => [share.name, `${(share.share * 100).toFixed(1)}%`, `> ${share.above * 100}%`, reaches(share) ? "PASS" : "FAIL"]);
    return table(["target", "share", "limit", ""], cells);
  }

  #boundsText(): string {
    if (this.bounds.length === 0) return "";
    const cells = this.bounds.map((bound) => [bound.name, whole(bound.value), `≤ ${whole(bound.most)}`, keeps(bound) ? "PASS" : "FAIL"]);
    return table(["target", "value", "limit", ""], cells);
  }

  #failuresText(): string {
    return this.failures.map(({ stage, message }) => `ERROR in ${stage}: ${message}`).join("\n");
  }
}

const limitCells = (row: Row): [string, string] => (row.limit === undefined ? ["", ""] : [`≤ ${row.limit}`, isWithin(row) ? "ok" : "over"]);

const searchCells = (figures: SearchFigures | undefined): string[] => [
  millis(figures?.p50),
  figures?.hits.toFixed(1) ?? "–",
  whole(figures?.bytes),
];

export function progress(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}
