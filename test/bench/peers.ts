import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Timed } from "./client.ts";
import { interleave, percentile, type Probe, summarise } from "./measure.ts";
import { type PeerCall, StdioPeer } from "./stdio-peer.ts";
import { Corpus, drawQuery, seeded } from "./zipf.ts";

/** Figures without a target, to see where we stand. Both peers keep entities with observations and match substrings. */
export interface PeerFigures {
  name: string;
  noOp?: number;
  store?: number;
  fiveWords?: SearchFigures;
  oneWord?: SearchFigures;
  rssMiB?: number | undefined;
  note?: string;
}

export interface SearchFigures {
  p50: number;
  hits: number;
  bytes: number;
}

const peers = [
  {
    name: "@modelcontextprotocol/server-memory",
    version: "2026.8.31",
    bin: "mcp-server-memory",
    env: (directory: string) => ({ MEMORY_FILE_PATH: join(directory, "memory.jsonl") }),
  },
  {
    name: "mcp-memory-libsql",
    version: "0.0.17",
    bin: "mcp-memory-libsql",
    env: (directory: string) => ({ LIBSQL_URL: `file:${join(directory, "memory.db")}` }),
  },
];

/** mcp-memory-libsql takes no more in one call. */
const fillBatch = 50;
const installLimitMs = 180_000;

/** Never throws: a peer that cannot be fetched or started becomes a row with the reason. */
export async function measurePeers(directory: string, memories: number, samples: number): Promise<PeerFigures[]> {
  const figures: PeerFigures[] = [];
  for (const peer of peers) {
    const name = `${peer.name} ${peer.version}`;
    try {
      const home = join(directory, peer.bin);
      install(home, `${peer.name}@${peer.version}`);
      const process = await StdioPeer.start(binary(home, peer.name, peer.bin), peer.env(home));
      try {
        figures.push({ name, ...(await measure(process, memories, samples)), note: "stdio" });
      } finally {
        await process.stop();
      }
    } catch (error) {
      figures.push({ name, note: `no figure: ${(error as Error).message.slice(0, 200)}` });
    }
  }
  return figures;
}

/** As `npx -y` would fetch it, into our own prefix, and started without npx, whose memory would be counted. */
function install(prefix: string, specifier: string): void {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith("npm_")));
  const args = ["install", "--prefix", prefix, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", specifier];
  const npm = spawnSync("npm", args, { env, encoding: "utf8", timeout: installLimitMs });
  if (npm.error) throw npm.error;
  if (npm.status !== 0) throw new Error(`npm install: ${npm.stderr.trim().split("\n").slice(0, 2).join("; ")}`);
}

function binary(prefix: string, name: string, bin: string): string {
  const home = join(prefix, "node_modules", name);
  const manifest = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { bin: Record<string, string> };
  return join(home, manifest.bin[bin] ?? "");
}

async function measure(peer: StdioPeer, memories: number, samples: number): Promise<Omit<PeerFigures, "name">> {
  const corpus = new Corpus("peer", 5_000);
  const entities = (count: number): Record<string, unknown> => ({
    entities: corpus.take(count).map(({ key, content }) => ({ name: key, entityType: "note", observations: [content] })),
  });
  while (corpus.size < memories) await peer.callTool("create_entities", entities(Math.min(fillBatch, memories - corpus.size)));

  const fiveWords = searchProbe(peer, 5);
  const oneWord = searchProbe(peer, 1);
  const taken = await interleave(
    {
      noOp: { run: () => peer.call("ping", {}) },
      store: { run: () => peer.callTool("create_entities", entities(1)) },
      fiveWords: fiveWords.probe,
      oneWord: oneWord.probe,
    },
    { samples, warmUp: 10 },
  );
  const p50 = (timed: Timed[]): number => percentile(timed.map(({ ms }) => ms), 0.5);
  const search = (timed: Timed[], hits: () => number): SearchFigures => {
    const { p50: median, bytes } = summarise(timed);
    return { p50: median, bytes, hits: hits() };
  };
  return {
    noOp: p50(taken.noOp),
    store: p50(taken.store),
    fiveWords: search(taken.fiveWords, fiveWords.hits),
    oneWord: search(taken.oneWord, oneWord.hits),
    rssMiB: peer.rssMiB(),
  };
}

function searchProbe(peer: StdioPeer, words: number): { probe: Probe; hits: () => number } {
  const random = seeded(5_000 + words);
  const hits: number[] = [];
  const run = async (): Promise<PeerCall> => {
    const call = await peer.callTool("search_nodes", { query: drawQuery(random, words) });
    hits.push(countEntities(call));
    return call;
  };
  return { probe: { run }, hits: () => hits.reduce((sum, count) => sum + count, 0) / hits.length };
}

function countEntities({ result }: PeerCall): number {
  const graph = JSON.parse(result.content?.[0]?.text ?? "{}") as { entities?: unknown[] };
  return graph.entities?.length ?? 0;
}
