import * as z from "zod";
import type { Context } from "../context.ts";
import * as field from "../memories/fields.ts";
import { isExpired, type Memory } from "../memories/memory.ts";
import { refusedTexts } from "../memories/quarantine.ts";
import { retryOnConflict } from "../memories/retry-on-conflict.ts";
import { proposeLinks } from "../memories/review.ts";
import { linkTypes } from "./graph.ts";
import { reviewedLinks, tellIndex } from "./link.ts";
import type { NewLink } from "./graph-store.ts";

/** `origin`: of what rules or a model found, which evolution may weaken, and of what a person lets stand. Whoever else states it, a file cannot say in whose name. */
const tie = { type: z.enum(linkTypes), strength: field.fraction.default(1), reason: field.phrase("reason", 500).default(""), origin: z.enum(["rule", "model", "person"]).optional() };
const id = z.uuid().toLowerCase();

/**
 * Links of an exported memory, from it and to it: whichever end an import brings second finds the other one there.
 */
export const portableLinks = z.array(z.union([z.strictObject({ to: id, ...tie }), z.strictObject({ from: id, ...tie })])).max(10_000);
export type PortableLinks = z.output<typeof portableLinks>;

/** The links that somebody made, by the memories at their ends. Drawn ones are drawn again where they arrive. */
export async function exportLinks(ctx: Context, ids: string[]): Promise<Map<string, PortableLinks>> {
  const byMemory = new Map<string, PortableLinks>();
  const links = ids.length === 0 ? [] : await ctx.graph.links(ctx.principal, ctx.now, ids);
  const wanted = new Set(ids);
  for (const { source, target, type, strength, reason, origin, madeBy } of links) {
    if (origin !== "explicit") continue;
    const tie = { type, strength, reason, ...(madeBy === "said" || madeBy === "import" ? {} : { origin: madeBy }) };
    if (wanted.has(source)) byMemory.set(source, [...(byMemory.get(source) ?? []), { to: target, ...tie }]);
    if (wanted.has(target)) byMemory.set(target, [...(byMemory.get(target) ?? []), { from: source, ...tie }]);
  }
  return byMemory;
}

/** Links in one transaction. */
const batch = 500;

/**
 * Makes the links whose ends are both here by now. `ids` are those that the records were given. Answers how many of the
 * links wait for a review. A link whose reason the write guard refuses is made without it.
 */
export async function importLinks(ctx: Context, records: readonly { id?: string | undefined; links?: PortableLinks | undefined }[], ids: readonly string[]): Promise<number> {
  const arrived = new Map(records.map((record, i) => [record.id, ids[i] as string]));
  const here = (end: string): string => arrived.get(end) ?? end;
  const links = new Map<string, NewLink>();
  for (const [i, record] of records.entries()) {
    const self = ids[i] as string;
    for (const { type, strength, reason, origin: madeBy = "import", ...end } of record.links ?? []) {
      const [source, target] = "to" in end ? [self, here(end.to)] : [here(end.from), self];
      if (source !== target) links.set(`${source} ${target} ${type}`, { source, target, type, strength, reason, madeBy });
    }
  }
  const refused = new Set(await refusedTexts(ctx, [...links.values()].map(({ reason }) => reason)));
  const all = [...links.values()].map((link) => (refused.has(link.reason) ? { ...link, reason: "" } : link));
  let waiting = 0;
  for (let from = 0; from < all.length; from += batch) waiting += await linkPresent(ctx, all.slice(from, from + batch));
  return waiting;
}

function linkPresent(ctx: Context, links: NewLink[]): Promise<number> {
  const { memories, principal } = ctx;
  const alive = async (ids: string[]): Promise<Map<string, Memory>> => {
    const found = ids.length > 0 ? await memories.lookupMany(principal, { ids, named: [] }) : [];
    return new Map(found.flatMap((memory) => (isExpired(memory, ctx.now) ? [] : [[memory.id, memory]])));
  };
  return retryOnConflict("these memories", async () => {
    const ends = [...new Set(links.flatMap(({ source, target }) => [source, target]))];
    const found = await alive(ends);
    const missing = ends.filter((id) => !found.has(id));
    const present = missing.length > 0 ? await memories.presentIds(principal, missing) : new Map<string, string>();
    const copies = await alive([...present.values()]);
    const here = (end: string): Memory | undefined => found.get(end) ?? copies.get(present.get(end) ?? "");
    const whole = links.flatMap((link) => {
      const [source, target] = [here(link.source), here(link.target)];
      return source && target && source.id !== target.id ? { ...link, source: source.id, target: target.id, sourceVersion: source.version, targetVersion: target.version } : [];
    });
    const byId = new Map([...found, ...copies]);
    const held = await reviewedLinks(ctx, [...byId.values()], whole);
    const free = whole.filter((link) => !held.includes(link));
    if (free.length > 0) {
      await ctx.graph.link(principal, ctx, free);
      await tellIndex(ctx, free.map(({ source, target }) => ({ source: byId.get(source) as Memory, target: byId.get(target) as Memory })));
    }
    for (const [source, from] of Map.groupBy(held, (link) => link.source)) {
      await proposeLinks(ctx, byId.get(source) as Memory, { add: from.map(({ target, type, strength, reason }) => ({ to: target, type, strength, reason })), remove: [] });
    }
    return held.length;
  });
}
