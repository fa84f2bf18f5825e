import * as z from "zod";
import { toUnitVector } from "../../../domain/embedding/embed-for-caller.ts";
import { json, say } from "../../../domain/frame.ts";
import * as field from "../../../domain/memories/fields.ts";
import { givenMetadata, toState } from "../../../domain/memories/portable.ts";
import { upsert, type Upserted } from "../../../domain/memories/upsert.ts";
import { additive, bulkCost, defineTool } from "../../define-tool.ts";
import { quarantineQuestions } from "../../quarantine-question.ts";
import { adviceOf, guardText, outcomeWith, proposalText } from "../../render.ts";
import { aliasOf, placeOf } from "./item.ts";

const mostItems = 100;

const stored: ReadonlySet<string> = new Set(["created", "updated", "unchanged", "merged"]);
const isStored = ({ outcome }: Upserted): boolean => stored.has(outcome);

/**
 * Kompanion document, `upsert_memory`. A vector given with a text is checked and not kept: every vector of the index is made
 * here from its text, so that no writer can make a memory answer questions that it does not answer.
 */
export const upsertMemory = defineTool({
  name: "upsert_memory",
  aliases: [aliasOf("upsert_memory")],
  title: "Upsert memories",
  description: "Store texts with metadata (tags, importance 0-1, expiry, scope, own), by id or name. Vectors are made here from the text.",
  scope: "memory:write",
  annotations: { ...additive, idempotentHint: false },
  cost: bulkCost,
  input: z.strictObject({
    items: z
      .array(
        z.strictObject({
          id: field.key.optional().describe("of a memory, or your own name for it"),
          text: field.content,
          metadata: givenMetadata.meta({ listed: { type: "object" } }),
          embedding: z.array(z.number()).max(8_192).optional(),
          namespace: field.namespace.optional().meta({ listed: null }),
        }),
      )
      .min(1, "items must hold at least one item")
      .max(mostItems, `at most ${mostItems} items`),
  }),
  output: z.looseObject({ upserted: z.number(), ids: z.array(z.string()) }),
  async handler(ctx, { items }) {
    const given = items.filter(({ embedding }) => embedding !== undefined).length;
    if (given > 0) {
      const embedder = await ctx.semantic.embedder(ctx.principal, ctx.now);
      for (const [i, { embedding }] of items.entries()) if (embedding) toUnitVector(embedding, embedder, `items.${i}.embedding`);
    }
    const done = await upsert(ctx, items.map(({ id, text, metadata, namespace }) => ({ id, state: { ...toState({ metadata, namespace }), content: text }, place: placeOf(ctx, undefined).namespace })));
    const changed = done.filter((one) => isStored(one) && one.outcome !== "unchanged");
    if (changed.length > 0) ctx.changed({ ids: changed.map(({ memory }) => memory.id), listChanged: changed.some(({ outcome }) => outcome === "created") });
    const others = done.filter((one) => !isStored(one) || one.proposal !== undefined);
    const proposed = done.find(({ proposal }) => proposal !== undefined)?.proposal;
    const found = done.find((one) => one.found.length > 0);
    const structured = {
      upserted: done.filter(isStored).length,
      ids: done.map(({ memory }) => memory.id),
      ...(others.length > 0 ? { others: others.map(({ outcome, memory, proposal }) => ({ id: memory.id, outcome: outcomeWith(outcome, proposal) })) } : {}),
      ...(given > 0 ? { embeddings: "made here from the texts; those given were checked and not kept" } : {}),
      ...adviceOf(say`${proposalText(proposed)}${guardText(found?.outcome ?? "", found?.found)}`),
    };
    return { structured, text: json(structured), question: quarantineQuestions(done.flatMap(({ memory, held }) => (held ? { held, entry: memory.id } : []))) };
  },
});
