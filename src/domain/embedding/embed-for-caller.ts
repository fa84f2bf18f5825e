import type { Context } from "../context.ts";
import { DomainError, invalid } from "../errors.ts";
import { embedTexts } from "../indexing/embed.ts";
import { requireScope } from "../tenancy/principal.ts";
import type { Embedder, TextKind } from "./embedder.ts";
import { modelOf } from "./vector-space.ts";

/** How long a caller waits for its vectors, ms. */
const callMs = 20_000;

export interface EmbedInput {
  texts: string[];
  kind: TextKind;
  /** As `modelOf` names it; the team's own unless given, and no other is taken. */
  model?: string | undefined;
}

/** Vectors of the space in which the team's questions are answered, unit length, in the order of the texts. @throws PROVIDER_ERROR */
export async function embedForCaller(ctx: Context, { texts, kind, model }: EmbedInput): Promise<{ model: string; vectors: Float32Array[] }> {
  requireScope(ctx.principal, "memory:read");
  const embedder = await ctx.semantic.embedder(ctx.principal, ctx.now);
  const own = modelOf(embedder.space);
  if (model !== undefined && model !== own) throw invalid(`model must be ${own}, in which this team's memories are embedded.`, "Leave model out.");
  const deadline = Date.now() + callMs;
  const { vectors, refused, interrupted } = await embedTexts(embedder, [...new Set(texts)], { clock: Date.now, deadline, attempts: 0 }, { timeoutMs: callMs, kind });
  if (interrupted) ctx.report("embed", interrupted);
  if (refused.size > 0) throw invalid(`texts: the embedder refuses ${refused.size} of them.`, "Leave out what is longer or stranger than plain text.");
  const found = texts.flatMap((text) => vectors.get(text) ?? []);
  if (found.length < texts.length) throw new DomainError("PROVIDER_ERROR", "The embedder did not answer in time.", { hint: "Try again, or with fewer texts." });
  return { model: own, vectors: found };
}

/** A caller's vector as a unit vector of the space. @throws VALIDATION_ERROR when it cannot be one; `name` is what the caller calls it. */
export function toUnitVector(given: readonly number[], { space, dimensions }: Pick<Embedder, "space" | "dimensions">, name: string): number[] {
  if (given.length !== dimensions) {
    throw invalid(`${name} has ${given.length} dimensions, and vectors of ${modelOf(space)} have ${dimensions}.`, "Give a vector of that model (embed_text makes one), or give text instead.", { dimensions, model: modelOf(space) });
  }
  const length = Math.hypot(...given);
  if (!Number.isFinite(length) || length === 0) throw invalid(`${name} has no direction: it must hold finite numbers that are not all 0.`, "Give a vector of an embedding model.");
  return given.map((value) => value / length);
}
