import { isOfMemories } from "../../../domain/events/change-of.ts";
import { json } from "../../../domain/frame.ts";
import { authorsOf } from "../../../domain/memories/authorship.ts";
import { list } from "../../../domain/memories/list.ts";
import { isReviewed } from "../../../domain/memories/review.ts";
import { tiers } from "../../../domain/memories/memory-values.ts";
import type { ToolContext } from "../../define-tool.ts";
import { defineResource } from "../../define-resource.ts";
import { komItem } from "./item.ts";

/** Kompanion document, Notes: resource descriptors of the tiers and of the jobs between them. */
const root = "kom://resources/memory/kom.memory.v1";
export const syncJobsUri = `${root}/sync-jobs`;
export const tierUri = (tier: string): string => `${root}/${tier}`;

type Tier = (typeof tiers)[number];

const looked = 100;
const shown = 20;

const purposes: Record<Tier, string> = { episodic: "As it was written; sync_semantic moves it on", semantic: "Promoted: chunked and embedded" };

/** What a tier is, and its newest memories among the newest that the caller may see. Secrets stay out: nobody asked for them by name. */
export const tierMemories = defineResource({
  uri: tierUri("{tier}"),
  variables: { tier: tiers.join("|") },
  name: "kom-tier",
  title: "A tier of memory",
  description: "What the episodic or the semantic tier holds, newest first",
  scope: "memory:read",
  completions: { tier: tiers },
  async read(ctx, [tier]) {
    const { memories } = await list(ctx, { limit: looked });
    const inTier = memories.filter((memory) => memory.tier === tier && memory.sensitivity !== "secret").slice(0, shown);
    const authorOf = await authorsOf(ctx, inTier);
    return json({ tool_namespace: "kom.memory.v1", tier, description: purposes[tier as Tier], of_newest: looked, items: inTier.map((memory) => komItem(memory, authorOf(memory))) });
  },
  changedWith: (change) => (isOfMemories(change) ? tiers.map(tierUri) : []),
});

/** What sync_semantic has still to do for the caller. */
export const syncJobs = defineResource({
  uri: syncJobsUri,
  name: "kom-sync-jobs",
  description: "How many of your memories are episodic still or wait for their vector",
  scope: "memory:read",
  async read(ctx: ToolContext) {
    const pending = await ctx.memories.countUnsynced(ctx.principal, ctx.now, { privateOnly: await isReviewed(ctx) });
    return json({ tool_namespace: "kom.memory.v1", job: "sync_semantic", pending, skips: ["sensitivity=secret", "expired"] });
  },
  changedWith: (change) => (isOfMemories(change) ? [syncJobsUri] : []),
});
