import * as z from "zod";
import { json } from "../../../domain/frame.ts";
import { noMemoryWithId } from "../../../domain/errors.ts";
import { saidIn } from "../../../domain/memories/memory-fields.ts";
import { cachedRecall } from "../../../domain/recall/cache/cached-recall.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { preview } from "../../../domain/recall/presentation/excerpt.ts";
import { audienceOf, trustFieldOf } from "../../render.ts";
import { memoryUri } from "../omn/memory-resources.ts";

/** The tool ChatGPT's connectors look for: `{id}` -> `{id, title, text, url, metadata}`, as JSON text. */
export const fetchMemory = defineTool({
  name: "fetch",
  title: "Fetch a memory",
  description: "The whole text of one memory, by an id that search returned.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({ id: z.uuid("id must be one that search returned").toLowerCase() }),
  output: z.looseObject({ id: z.string(), title: z.string(), text: z.string(), url: z.string() }),
  async handler(ctx, { id }) {
    const [found] = (await cachedRecall(ctx, { id, limit: 1 }, "chatgpt")).items;
    if (!found) throw noMemoryWithId(id, "Search again: it may have been forgotten.");
    const { memory, author } = found;
    const document = {
      id: memory.id,
      title: memory.key ?? preview(memory.content, 60),
      text: memory.content,
      url: memoryUri(memory.id),
      metadata: {
        namespace: memory.namespace,
        tags: saidIn(memory, "tags"),
        updated_at: new Date(memory.updatedAt).toISOString(),
        ...audienceOf(memory, author),
        ...trustFieldOf(memory),
      },
    };
    return { structured: document, text: json(document) };
  },
});
