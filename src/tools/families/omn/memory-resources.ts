import { isOfMemories } from "../../../domain/events/change-of.ts";
import { json, spaced } from "../../../domain/frame.ts";
import { authorsOf } from "../../../domain/memories/authorship.ts";
import { list } from "../../../domain/memories/list.ts";
import { cachedRecall } from "../../../domain/recall/cache/cached-recall.ts";
import { preview } from "../../../domain/recall/presentation/excerpt.ts";
import type { Completer } from "../../define-prompt.ts";
import { defineResource, jsonType } from "../../define-resource.ts";
import { omnMemory } from "../../render.ts";

/** Memories as resources: an overview of the newest, and each under its own URI. */
export const recentUri = "omnimemory://memories/recent";
export const memoryUri = (id: string): string => `omnimemory://memory/${id}`;

const pageSize = 50;
const overviewSize = 20;

export const recentMemories = defineResource({
  uri: recentUri,
  name: "recent-memories",
  description: "The newest memories you may see",
  scope: "memory:read",
  async read(ctx) {
    const { memories } = await list(ctx, { limit: overviewSize });
    const authorOf = await authorsOf(ctx, memories);
    return json({ memories: memories.map((memory) => omnMemory(memory, { author: authorOf(memory) })) });
  },
  changedWith: (change) => (isOfMemories(change) ? [recentUri] : []),
});

/** By the beginning of the id, or of the key that people know it by. */
const newestIds: Completer = async (ctx, begun) => {
  const { memories } = await list(ctx, { limit: pageSize });
  return memories.filter(({ id, key }) => id.startsWith(begun) || key?.startsWith(begun) === true).map(({ id }) => id);
};

export const oneMemory = defineResource({
  uri: memoryUri("{memory_id}"),
  variables: { memory_id: "[0-9a-f-]{36}" },
  name: "memory",
  title: "One memory",
  description: "A memory by its id",
  scope: "memory:read",
  completions: { memory_id: newestIds },
  async read(ctx, [id]) {
    const [found] = id === undefined ? [] : (await cachedRecall(ctx, { id, limit: 1 }, "resource")).items;
    return found && json(omnMemory(found.memory, { author: found.author }));
  },
  async list(ctx, cursor) {
    const page = await list(ctx, { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
    const resources = page.memories.map((memory) => ({
      uri: memoryUri(memory.id),
      name: memory.key === null ? preview(memory.content, 40) : spaced(memory.key),
      description: preview(memory.content, 100),
      mimeType: jsonType,
    }));
    return { resources, ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }) };
  },
  changedWith: ({ ids }) => ids.map(memoryUri),
});
