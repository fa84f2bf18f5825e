import { requireScope } from "../domain/tenancy/principal.ts";
import { notFound } from "../domain/errors.ts";
import { json, named, spaced } from "../domain/frame.ts";
import { authorsOf } from "../domain/memories/authorship.ts";
import { list } from "../domain/memories/list.ts";
import { recallCached } from "../domain/memories/recall-cached.ts";
import type { Context } from "../domain/context.ts";
import { preview } from "../domain/search/excerpt.ts";
import { omnMemory } from "./render.ts";

/** Memories as MCP resources: the newest ones listed, each readable under its own URI, all under one overview. */
export const recentUri = "omnimemory://memories/recent";
export const memoryUri = (id: string): string => `omnimemory://memory/${id}`;

const memoryUriPattern = /^omnimemory:\/\/memory\/([0-9a-f-]{36})$/;

/** Whether the URI has the form of one, whatever there is under it. */
export const isResourceUri = (uri: string): boolean => uri === recentUri || memoryUriPattern.test(uri);

const pageSize = 50;
const jsonType = "application/json";

export const resourceTemplates = [
  { uriTemplate: "omnimemory://memory/{memory_id}", name: "memory", title: "One memory", description: "A memory by its id", mimeType: jsonType },
];

export async function listResources(ctx: Context, cursor: string | undefined) {
  requireScope(ctx.principal, "memory:read");
  const page = await list(ctx, { limit: pageSize, cursor });
  const resources = page.memories.map((memory) => ({
    uri: memoryUri(memory.id),
    name: memory.key === null ? preview(memory.content, 40) : spaced(memory.key),
    description: preview(memory.content, 100),
    mimeType: jsonType,
  }));
  const overview = { uri: recentUri, name: "recent-memories", description: "The newest memories you may see", mimeType: jsonType };
  return {
    resources: cursor === undefined ? [overview, ...resources] : resources,
    ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
  };
}

export async function readResource(ctx: Context, uri: string) {
  requireScope(ctx.principal, "memory:read");
  const body = uri === recentUri ? await recent(ctx) : await one(ctx, uri);
  return { contents: [{ uri, mimeType: jsonType, text: json(body).toString() }] };
}

async function recent(ctx: Context) {
  const { memories } = await list(ctx, { limit: 20 });
  const authorOf = await authorsOf(ctx, memories);
  return { memories: memories.map((memory) => omnMemory(memory, { author: authorOf(memory) })) };
}

async function one(ctx: Context, uri: string) {
  const id = memoryUriPattern.exec(uri)?.[1];
  const [found] = id === undefined ? [] : (await recallCached(ctx, { id, limit: 1 }, "resource")).items;
  if (!found) throw notFound(`There is no resource ${named(uri)}.`, "List the resources to see which there are.");
  return omnMemory(found.memory, { author: found.author });
}
