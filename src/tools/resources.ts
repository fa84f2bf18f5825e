import type { Change } from "../domain/events/change-of.ts";
import { notFound } from "../domain/errors.ts";
import { named } from "../domain/frame.ts";
import { requireScope } from "../domain/tenancy/principal.ts";
import { resources } from "./catalogue.ts";
import { jsonType, type ListedResource, type Resource, type ResourcePage } from "./define-resource.ts";
import type { ToolContext } from "./define-tool.ts";

/** The resources of all families, as one list and one space of URIs. */

/** Whether the URI has the form of a resource, whatever there is under it. */
export const isResourceUri = (uri: string): boolean => resources.some(({ pattern }) => pattern.test(uri));

/** URIs of which clients are told that they changed. `watched`: those with a beginning that somebody watches. */
export const urisChangedWith = (change: Change, watched: (prefix: string) => string[]): string[] =>
  resources.flatMap((resource) => [
    ...resource.changedWith(change),
    ...(resource.mayChangeWith?.(change) ? watched(resource.uri.split("{", 1)[0] as string).filter((uri) => resource.pattern.test(uri)) : []),
  ]);

export const resourceTemplates = resources
  .filter(({ isTemplate }) => isTemplate)
  .map(({ uri, name, title, description }) => ({ uriTemplate: uri, name, title: title ?? name, description, mimeType: jsonType }));

/** Resources with a URI of their own come first on the first page, then the instances of the template that lists them. */
export async function listResources(ctx: ToolContext, cursor: string | undefined): Promise<ResourcePage> {
  for (const { scope } of resources) requireScope(ctx.principal, scope);
  const page = (await resources.find((resource) => resource.list !== undefined)?.list?.(ctx, cursor)) ?? { resources: [] };
  return cursor === undefined ? { ...page, resources: [...fixed, ...page.resources] } : page;
}

const fixed: ListedResource[] = resources
  .filter(({ isTemplate }) => !isTemplate)
  .map(({ uri, name, description }) => ({ uri, name, description, mimeType: jsonType }));

/** @throws NOT_FOUND, of a memory MEMORY_NOT_FOUND */
export async function readResource(ctx: ToolContext, uri: string) {
  const { resource, variables } = find(uri);
  requireScope(ctx.principal, resource?.scope ?? "memory:read");
  // What is no URI of ours may be any text, and the audit holds none.
  const noted = resource?.isNamedFreely ? resource.uri : resource ? uri : "unknown";
  const body = await resource?.read(ctx, variables).catch((error: unknown) => {
    ctx.noteResource?.(noted, false);
    throw error;
  });
  ctx.noteResource?.(noted, body !== undefined);
  if (body === undefined) throw notFound(`There is no resource ${named(uri)}.`, "List the resources to see which there are.");
  return { contents: [{ uri, mimeType: jsonType, text: body.toString() }] };
}

/** @throws NOT_FOUND */
export function findTemplate(uri: string): Resource {
  const found = resources.find((resource) => resource.isTemplate && resource.uri === uri);
  if (!found) throw notFound(`There is no resource template ${named(uri)}.`, "List the templates to see which there are.");
  return found;
}

function find(uri: string): { resource: Resource | undefined; variables: string[] } {
  for (const resource of resources) {
    const [whole, ...variables] = resource.pattern.exec(uri) ?? [];
    if (whole !== undefined) return { resource, variables };
  }
  return { resource: undefined, variables: [] };
}
