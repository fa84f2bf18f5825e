import { requireScope } from "../domain/tenancy/principal.ts";
import { notFound } from "../domain/errors.ts";
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
const json = "application/json";

export const resourceTemplates = [
  { uriTemplate: "omnimemory://memory/{memory_id}", name: "memory", title: "One memory", description: "A memory by its id", mimeType: json },
];

export async function listResources(ctx: Context, cursor: string | undefined) {
  requireScope(ctx.principal, "memory:read");
  const page = await list(ctx, { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) });
  const resources = page.memories.map((memory) => ({
    uri: memoryUri(memory.id),
    name: memory.key ?? preview(memory.content, 40),
    description: preview(memory.content, 100),
    mimeType: json,
  }));
  const overview = { uri: recentUri, name: "recent-memories", description: "The newest memories you may see", mimeType: json };
  return {
    resources: cursor === undefined ? [overview, ...resources] : resources,
    ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
  };
}

export async function readResource(ctx: Context, uri: string) {
  requireScope(ctx.principal, "memory:read");
  const body = uri === recentUri ? await recent(ctx) : await one(ctx, uri);
  return { contents: [{ uri, mimeType: json, text: JSON.stringify(body) }] };
}

async function recent(ctx: Context) {
  const { memories } = await list(ctx, { limit: 20 });
  return { memories: memories.map((memory) => omnMemory(memory)) };
}

async function one(ctx: Context, uri: string) {
  const id = memoryUriPattern.exec(uri)?.[1];
  const [found] = id === undefined ? [] : (await recallCached(ctx, { id, limit: 1 }, "resource")).items;
  if (!found) throw notFound(`There is no resource ${uri}.`, "List the resources to see which there are.");
  return omnMemory(found.memory);
}
