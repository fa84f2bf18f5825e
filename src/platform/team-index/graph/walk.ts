import type { LinkType } from "../../../domain/graph/graph.ts";
import type { Step, Tie, Walked, WalkLimits } from "../../../domain/graph/graph-store.ts";
import { beginning, hub, maxBreadth, maxDepth, maxWalked, mostNames, mostTouched, strengthDecimals, weakest } from "../../graph-limits.ts";
import { isAlive } from "./by-memory.ts";
import type { GraphMaps, NameNode } from "./graph-maps.ts";
import type { GraphView } from "./graph-view.ts";
import type { MemoryRow } from "./memory-rows.ts";

/** Answers a memory that the viewer sees, alive and not archived. */
export type SeenMemory = (id: string) => MemoryRow | undefined;

interface Place {
  memoryId: string;
  distance: number;
  strength: number;
  via: Step["via"] | undefined;
  before: Place | undefined;
}

interface Neighbour {
  memoryId: string;
  strength: number;
  via: Step["via"];
}

const rounding = 10 ** strengthDecimals;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The memories around those, as the `walk` of `d1/graph-sql.ts` answers them: step by step, the strongest first. */
export function walk(maps: GraphMaps, view: GraphView, seen: SeenMemory, memoryIds: readonly string[], limits: WalkLimits): Walked[] {
  const [breadth, depth, limit] = [Math.min(limits.breadth, maxBreadth), Math.min(limits.depth, maxDepth), Math.min(limits.limit, maxWalked)];
  const starts = new Set(memoryIds);
  const best = new Map<string, { place: Place; rank: number }>();
  let level = memoryIds.flatMap((memoryId): Place[] => (seen(memoryId) ? [{ memoryId, distance: 0, strength: 1, via: undefined, before: undefined }] : []));
  let touched = 0;
  while (level.length > 0 && touched < mostTouched) {
    const next: Place[] = [];
    for (const place of level.toSorted((a, b) => b.strength - a.strength)) {
      if (touched >= mostTouched) break;
      touched += 1;
      const rank = place.distance - place.strength / 2;
      if (place.distance > 0 && !starts.has(place.memoryId) && rank < (best.get(place.memoryId)?.rank ?? Number.POSITIVE_INFINITY)) best.set(place.memoryId, { place, rank });
      if (place.distance >= depth || place.strength < weakest) continue;
      for (const { memoryId, strength, via } of neighbours(maps, view, seen, place.memoryId, breadth)) {
        if (!isOnPath(place, memoryId)) next.push({ memoryId, distance: place.distance + 1, strength: place.strength * strength, via, before: place });
      }
    }
    level = next;
  }
  return [...best.values()]
    .sort((a, b) => a.rank - b.rank || compare(b.place.memoryId, a.place.memoryId))
    .slice(0, limit)
    .map(({ place }) => ({ memoryId: place.memoryId, distance: place.distance, strength: place.strength, path: pathTo(place) }));
}

function isOnPath(place: Place, memoryId: string): boolean {
  for (let at: Place | undefined = place; at; at = at.before) if (at.memoryId === memoryId) return true;
  return false;
}

function pathTo(place: Place): Step[] {
  const path: Step[] = [];
  for (let at: Place | undefined = place; at?.via; at = at.before) path.unshift({ memoryId: at.memoryId, via: at.via });
  return path;
}

/** Links by their own strength, shared names by rarity; of several ties the first is named: a link from it, one to it, then the rarest name. */
function neighbours(maps: GraphMaps, view: GraphView, seen: SeenMemory, memoryId: string, breadth: number): Neighbour[] {
  const found = new Map<string, Neighbour>();
  const tie = (other: string, strength: number, via: Step["via"]): void => {
    const known = found.get(other);
    if (known) known.strength += strength;
    else found.set(other, { memoryId: other, strength, via });
  };
  const links = maps.linksOf(memoryId);
  if (links.length > 0) {
    const byType = links.toSorted((a, b) => compare(a[2], b[2]));
    for (const [source, target, type, strength] of byType) if (source === memoryId && seen(target)) tie(target, strength, { kind: "link", type: type as LinkType });
    for (const [source, target, type, strength] of byType) if (target === memoryId && seen(source)) tie(source, strength, { kind: "link", type: type as LinkType });
  }
  for (const { name, crowd, nodes } of sharedNames(maps, view, memoryId)) {
    for (const node of nodes) {
      if (!node.isAlive(view.now)) continue;
      for (const memory of node.mentions.all()) {
        if (memory.id !== memoryId && isAlive(memory, view.now)) tie(memory.id, 2 / crowd, { kind: "entity", name });
      }
    }
  }
  const rounded = [...found.values()].map((neighbour) => ({ ...neighbour, strength: Math.round(Math.min(1, neighbour.strength) * rounding) / rounding }));
  return rounded.sort((a, b) => b.strength - a.strength || compare(b.memoryId, a.memoryId)).slice(0, breadth);
}

/** Names of a memory that a walk follows: those that fewest share. */
function sharedNames(maps: GraphMaps, view: GraphView, memoryId: string): { name: string; crowd: number; nodes: NameNode[] }[] {
  const byNorm = new Map<string, { name: string; crowd: number; nodes: NameNode[] }>();
  for (const { home, norm, name, type } of maps.namesOf(memoryId)) {
    if (type === "date" || !view.sees(home) || byNorm.has(norm)) continue;
    const nodes = view.namesByNorm(norm);
    byNorm.set(norm, { name, nodes, crowd: nodes.reduce((sum, { mentions }) => sum + mentions.size, 0) });
  }
  const shared = [...byNorm].filter(([, { crowd }]) => crowd >= 2 && crowd <= hub);
  return shared.sort(([a, { crowd: crowdA }], [b, { crowd: crowdB }]) => crowdA - crowdB || compare(a, b)).slice(0, mostNames).map(([, name]) => name);
}

/** Links from and to the memories, the strongest first. Secrets are shown to who asks for them, not beside something else. */
export function ties(maps: GraphMaps, seen: SeenMemory, memoryIds: readonly string[], limit: number): Tie[] {
  const found = memoryIds.flatMap((id) => (maps.linksOf(id).length > 0 && seen(id) ? maps.linksOf(id).map((link) => ({ link, otherId: link[0] === id ? link[1] : link[0] })) : []));
  found.sort((a, b) => b.link[3] - a.link[3] || b.link[4] - a.link[4] || compare(a.otherId, b.otherId) || compare(a.link[0], b.link[0]) || compare(a.link[2], b.link[2]));
  const shown: Tie[] = [];
  for (const { link: [source, target, type, strength], otherId } of found) {
    if (shown.length >= limit) break;
    const other = seen(otherId);
    if (!other || other.secret) continue;
    const { id, key, quarantined, updatedBy, expiresAt } = other;
    shown.push({ source, target, type: type as LinkType, strength, other: { id, key, content: beginningOf(other.content), quarantined, updatedBy, expiresAt } });
  }
  return shown;
}

/** By code points, as SQLite counts characters. */
const beginningOf = (content: string): string => Array.from(content.slice(0, 2 * beginning)).slice(0, beginning).join("");
