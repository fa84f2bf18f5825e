import * as z from "zod";
import { defined } from "../../../domain/defined.ts";
import { json } from "../../../domain/frame.ts";
import { authorsOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { list } from "../../../domain/memories/list.ts";
import { withFormerNamespace } from "../../../domain/memories/memory.ts";
import { cachedRecall } from "../../../domain/recall/cache/cached-recall.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { aliasOf, komItem } from "./item.ts";

/** Kompanion document, `recall_context`: by exact key or pattern, tags and time; without a key the newest. */
export const recallContext = defineTool({
  name: "recall_context",
  aliases: [aliasOf("recall_context")],
  title: "Recall context",
  description: "Fetch contexts by key (* = wildcard), tags and the time since they changed; without a key the newest first.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    key: field.keyPattern.optional(),
    tags: field.tags.optional(),
    limit: z.number().int().min(1).max(100).default(20),
    since: field.instant.optional().describe("ISO date"),
    namespace: field.namespaceFilter.optional(),
  }),
  output: z.looseObject({ items: z.array(z.looseObject({ id: z.string(), created_at: z.string() })) }),
  async handler(ctx, { key, tags, limit, since, namespace }) {
    const filter = defined({ tags: tags?.length ? tags : undefined, changedSince: since, namespaces: namespace === undefined ? undefined : withFormerNamespace(namespace) });
    if (key !== undefined) {
      const { items } = await cachedRecall(ctx, { key, filter, limit, project: ctx.project, session: ctx.sessionId }, "kom");
      const answer = { items: items.map(({ memory, author }) => komItem(memory, author)) };
      return { structured: answer, text: json(answer) };
    }
    const { memories } = await list(ctx, { filter, limit, shown: Infinity });
    const authorOf = await authorsOf(ctx, memories);
    const answer = { items: memories.map((memory) => komItem(memory, authorOf(memory))) };
    return { structured: answer, text: json(answer) };
  },
});
