import * as z from "zod";
import { named, say } from "../../../domain/frame.ts";
import { linkInput, linkMemory, resolveEnds } from "../../../domain/graph/link.ts";
import * as field from "../../../domain/memories/fields.ts";
import { offeredShape } from "../../../domain/memories/memory-fields.ts";
import { givenMetadata, toState } from "../../../domain/memories/portable.ts";
import { namespaceOf } from "../../../domain/memories/memory.ts";
import { remember } from "../../../domain/memories/remember.ts";
import { similarTo } from "../../../domain/memories/similar.ts";
import { additive, defineTool, listedAs } from "../../define-tool.ts";
import { adviceOf, compressionMade, duplicateText, guardOf, guardText, handleOf, outcomeWith, proposalOf, proposalText } from "../../render.ts";
import { similarOf, similarText } from "../../render-similar.ts";

const repair = { update: "call omn_update_memory", forget: "omn_forget_memory" };

/** OmniMemory document 1.1; features A row 1. */
export const storeMemory = defineTool({
  name: "omn_store_memory",
  title: "Store a memory",
  description:
    "Save a fact, decision or preference for all AI tools. Self-contained content; stable key such as project.auth.decision. Same key = new version.",
  scope: "memory:write",
  annotations: additive,
  input: z.strictObject({
    content: field.content,
    key: field.key,
    metadata: givenMetadata.meta({
      listed: { type: "object", description: "tags[], importance 0-1, expiry (ISO), scope: private|shared (team)|public (organization), sensitivity: secret, own" },
    }),
    namespace: field.namespace.optional().describe("global, project:x, session:x/y, thread:x"),
    occurred_at: field.instant.optional().describe("ISO date"),
    type: field.memoryType.optional(),
    ...listedAs({ type: "string" }, offeredShape),
    /** Of a call that may be sent twice. */
    idempotency_key: field.idempotencyKey.optional().meta({ listed: null }),
    /** Ties to other memories (Mnemosyne document, link types). */
    links: linkInput.optional().meta({ listed: null }),
    /** Named in the answer that makes it necessary. */
    allow_duplicate: z.boolean().optional().meta({ listed: null }),
    /** An argument of the document: false keeps a content of more than 1,000 tokens without a compressed form. */
    compress: z.boolean().optional().meta({ listed: null }),
  }),
  output: z.looseObject({
    memory_id: z.string(),
    key: z.string().nullable().meta({ listed: null }),
    outcome: z.enum(["created", "updated", "unchanged", "duplicate", "proposed", "quarantined"]).meta({ listed: { type: "string" } }),
    version: z.number(),
  }),
  async handler(ctx, { idempotency_key, allow_duplicate, compress, links = [], ...input }) {
    // A link that leads nowhere is refused before anything is stored.
    await resolveEnds(ctx, links);
    const state = { ...toState({ ...input, namespace: input.namespace ?? (ctx.project === undefined ? undefined : namespaceOf(ctx.project)) }), content: input.content };
    const similarIn = similarTo(ctx, state);
    const result = await remember(ctx, {
      ...state,
      idempotencyKey: idempotency_key,
      allowDuplicate: allow_duplicate,
      compress,
    });
    const { memory } = result;
    const linked = result.outcome === "duplicate" || result.outcome === "quarantined" ? undefined : await linkMemory(ctx, memory, links);
    const proposal = linked ?? result.proposal;
    const outcome = outcomeWith(result.outcome, proposal);
    if ((outcome === "created" || outcome === "updated") && !result.replayed) ctx.changed({ ids: [memory.id], listChanged: outcome === "created" });
    const similar = await similarIn(result);
    const compression = compressionMade(memory);
    const repeated = outcome === "duplicate" ? duplicateText(memory, "omn_update_memory") : undefined;
    return {
      structured: {
        memory_id: memory.id,
        key: memory.key,
        outcome,
        version: memory.version,
        namespace: memory.namespace,
        scope: memory.visibility,
        size_bytes: new TextEncoder().encode(memory.content).byteLength,
        compressed: false,
        ...compression,
        ...(result.replayed ? { replayed: true } : {}),
        ...proposalOf(proposal),
        ...guardOf(outcome, result.found),
        ...(repeated && adviceOf(repeated)),
        ...similarOf(similar, ctx.now, repair),
      },
      text: repeated ?? say`${outcome} ${handleOf(memory)} (version ${memory.version}, ${memory.visibility}, ${named(memory.namespace)}) id ${memory.id}${proposalText(proposal)}${guardText(outcome, result.found)}${similarText(similar, ctx.now, repair)}`,
    };
  },
});
