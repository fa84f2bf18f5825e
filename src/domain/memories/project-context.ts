import type { Context } from "../context.ts";
import type { MemoryLink } from "../graph/graph.ts";
import { neighbourhood } from "../graph/neighbourhood.ts";
import { list } from "./list.ts";
import { defined } from "../defined.ts";
import { matcherOf } from "./memory-filters.ts";
import type { Memory } from "./memory.ts";
import type { MemoryFilter } from "./memory-store.ts";

const day = 86_400_000;
/** Context Building Flow of the Mnemosyne document: the last 7 days, importance of at least 8 of 10, the graph to depth 1. */
const recentDays = 7;
const leastImportance = 0.75;
const depth = 1;

/** Memories of each list. */
const mostShown = 10;
const mostConnected = 20;

export interface ProjectContext {
  recent: Memory[];
  important: Memory[];
  /** One step away from those. */
  connected: Memory[];
  links: MemoryLink[];
  statistics: {
    /** Memories of the place that the caller may see. */
    total: number;
    shown: number;
    /** Share of the place that is shown, 0–1; what is connected may stand elsewhere. */
    coverage: number;
    /** Links for each memory shown. */
    linkDensity: number;
  };
}

interface ContextInput {
  namespaces: string[] | undefined;
  agentView: string | undefined;
  /** So many characters of each content the caller shows. */
  length: number;
}

/** What a session begins with. Secrets stay out: nobody asked for them by name. */
export async function projectContext(ctx: Context, { namespaces, agentView, length }: ContextInput): Promise<ProjectContext> {
  const place: MemoryFilter = defined({ namespaces, agentView });
  const [newest, weighty, total] = await Promise.all([
    list(ctx, { filter: { ...place, changedSince: ctx.now - recentDays * day }, limit: mostShown, shown: length }),
    list(ctx, { filter: { ...place, minImportance: leastImportance }, order: "importance", limit: mostShown, shown: length }),
    ctx.memories.count(ctx.principal, ctx.now, place),
  ]);
  const recent = newest.memories.filter(isOpen);
  const important = weighty.memories.filter(isOpen);
  const seeds = [...recent, ...important];
  const { nodes, links: found } = seeds.length === 0 ? { nodes: [], links: [] } : await neighbourhood(ctx, { seeds, depth, limit: mostConnected });
  const connected = nodes.filter(({ distance }) => distance > 0).map(({ memory }) => memory).filter(matcherOf(defined({ agentView })));
  const all = new Map([...seeds, ...connected].map((memory) => [memory.id, memory]));
  const links = found.filter(({ source, target }) => all.has(source) && all.has(target));
  const shown = all.size;
  const covered = [...all.values()].filter(matcherOf(place)).length;
  return { recent, important, connected, links, statistics: { total, shown, coverage: ratio(covered, total), linkDensity: ratio(links.length, shown) } };
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

const isOpen = ({ sensitivity }: Memory): boolean => sensitivity !== "secret";
