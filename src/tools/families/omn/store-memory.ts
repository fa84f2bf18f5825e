import * as z from "zod";
import { aside, named, say } from "../../../domain/frame.ts";
import { linkInput, linkMemory, resolveEnds } from "../../../domain/graph/link.ts";
import * as field from "../../../domain/memories/fields.ts";
import { givenShape, offeredShape } from "../../../domain/memories/memory-fields.ts";
import { givenMetadata, toState } from "../../../domain/memories/portable.ts";
import { ownNamespaceOf } from "../../../domain/memories/memory.ts";
import { remember, rememberOutcomes } from "../../../domain/memories/remember.ts";
import { similarTo } from "../../../domain/memories/similar.ts";
import { announceStored, aroundStored, questionAfter } from "../../after-store.ts";
import { additive, defineTool, listedAs } from "../../define-tool.ts";
import { adviceOf, compressionMade, guardOf, guardText, handleOf, idBeside, outcomeWith, proposalOf, proposalText, repeatedText } from "../../render.ts";
import { similarOf, similarText } from "../../render-similar.ts";

const repair = { update: "call omn_update_memory", forget: "omn_forget_memory" };

/** OmniMemory document 1.1; features A row 1. */
export const storeMemory = defineTool({
  name: "omn_store_memory",
  title: "Store a memory",
  description:
    "Save a fact, decision or preference for all AI tools. Self-contained content; stable key such as project.auth.decision. Same key = new version; without key, repeats merge.",
  scope: "memory:write",
  annotations: additive,
  input: z.strictObject({
    content: field.content,
    key: field.key.optional(),
    metadata: givenMetadata.meta({
      listed: { type: "object", description: "tags[], importance 0-1, expiry (ISO), scope: private|shared (team)|public (organization), sensitivity: secret, own" },
    }),
    namespace: field.namespace.optional().describe("global, project:x, session:x/y, thread:x"),
    occurred_at: field.instant.optional().describe("ISO date"),
    type: field.memoryType.optional(),
    ...listedAs({ type: "string" }, offeredShape),
    /** Files that it is about: `{path, hash, commit, lines}`. */
    citations: givenShape.citations.meta({ listed: { type: "array", items: { type: "object" } } }),
    /** Who wrote it, and in which conversation (memory-server document, section 2). */
    ...listedAs(null, { agent_id: givenShape.agent_id, run_id: givenShape.run_id }),
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
    outcome: z.enum(rememberOutcomes).meta({ listed: { type: "string" } }),
    version: z.number(),
  }),
  async handler(ctx, { idempotency_key, allow_duplicate, compress, links = [], ...input }) {
    // A link that leads nowhere is refused before anything is stored.
    const ends = await resolveEnds(ctx, links);
    const replaced = new Set(ends.flatMap(({ id }, i) => (links[i]?.type === "supersedes" ? id : [])));
    const state = { ...toState({ ...input, namespace: input.namespace ?? ownNamespaceOf(ctx) }), content: input.content };
    const like = similarTo(ctx, state, ({ id }) => !replaced.has(id));
    const result = await remember(ctx, {
      ...state,
      idempotencyKey: idempotency_key,
      allowDuplicate: allow_duplicate,
      compress,
    }, like.beside);
    const { memory } = result;
    const linked = result.outcome === "duplicate" || result.outcome === "quarantined" ? undefined : await linkMemory(ctx, memory, links);
    const proposal = linked ?? result.proposal;
    const outcome = outcomeWith(result.outcome, proposal);
    announceStored(ctx, result, outcome);
    const { similar, conflicts } = await aroundStored(ctx, like, result);
    const compression = compressionMade(memory);
    const repeated = repeatedText(outcome, memory, "omn_update_memory");
    return {
      question: questionAfter(result, conflicts),
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
        ...similarOf(similar, ctx.now, { ...repair, request: ctx.requestId, stored: memory }, conflicts),
      },
      text: repeated ?? say`${outcome} ${handleOf(memory)}${aside(idBeside(memory), `version ${memory.version}`, memory.visibility, named(memory.namespace))}${proposalText(proposal)}${guardText(outcome, result.found)}${similarText(similar, ctx.now, { ...repair, request: ctx.requestId, stored: memory }, conflicts)}`,
    };
  },
});
