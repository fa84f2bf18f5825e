import * as z from "zod";
import { json } from "../../../domain/frame.ts";
import { neighbourhood, seedsNamed } from "../../../domain/graph/neighbourhood.ts";
import { authorsOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { defineTool, readOnly } from "../../define-tool.ts";
import { linkOf, noteOf } from "./note.ts";
import { pascal } from "./words.ts";

const mostNodes = 50;

/** Mnemosyne document, orient 3. */
export const graph = defineTool({
  name: "mnemosyne_graph",
  title: "Memory graph",
  description: "The memories around others, over links and shared names, up to 3 hops, with the links among them.",
  scope: "memory:read",
  annotations: readOnly,
  input: z.strictObject({
    seed_ids: z.array(field.memoryRef).min(1, "seed_ids must hold at least one id").max(10, "at most 10 seed_ids"),
    max_hops: z.number().int().min(1).max(3).default(2),
  }),
  output: z.looseObject({ nodes: z.array(z.looseObject({})), links: z.array(z.looseObject({})) }),
  async handler(ctx, { seed_ids, max_hops }) {
    const { nodes, links } = await neighbourhood(ctx, { seeds: await seedsNamed(ctx, seed_ids), depth: max_hops, limit: mostNodes });
    const authorOf = await authorsOf(ctx, nodes.map(({ memory }) => memory));
    const answer = {
      nodes: nodes.map(({ memory, distance, strength, via }) => ({
        ...noteOf(memory, { author: authorOf(memory) }),
        distance,
        ...(distance === 0 ? {} : { strength }),
        ...(via ? { via: via.kind === "link" ? pascal(via.type) : via.name } : {}),
      })),
      links: links.map(linkOf),
    };
    return { structured: answer, text: json(answer) };
  },
});
