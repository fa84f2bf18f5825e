import * as z from "zod";
import { DomainError } from "../domain/errors.ts";
import { aside, type Framed, joined, named, say } from "../domain/frame.ts";
import type { Context } from "../domain/context.ts";
import { decideContradiction, verdicts } from "../domain/memories/contradictions.ts";
import { discard, release } from "../domain/memories/release.ts";
import { revise } from "../domain/memories/revise.ts";
import type { ToolContext } from "./define-tool.ts";
import { handleOf, idBeside, outcomeWith, proposalOf, proposalText } from "./render.ts";

/** What a person may decide about what a call has done. No argument of a tool leads here: only their answer to a form. */
const shown = z.object({ id: z.string(), version: z.number() });
export const deed = z.union([
  z.object({ do: z.enum(["release", "discard"]), id: z.string(), isNew: z.boolean(), entry: z.string().optional() }),
  z.object({ do: z.literal("share"), ...shown.shape, visibility: z.enum(["shared", "public"]) }),
  z.object({ do: z.literal("decide"), holds: z.enum(verdicts), memory: shown, others: z.array(shown) }),
]);
export type Deed = z.output<typeof deed>;

/** What became of it, over the answer that the call would have had. */
export interface Done {
  text: Framed;
  /** In the names of all families: an answer takes over those that it has. */
  facts?: Record<string, unknown>;
  /** Of the answer what holds no longer; where there is none, the text stands behind that of the answer. */
  instead?: readonly string[];
  /** The id under which the answer of a call that did several things lists what this is about: nothing of the others changes. */
  entry?: string | undefined;
  /** What such an answer counts once more, in the names of all families. */
  counts?: readonly string[];
}

export async function perform(ctx: Context & Pick<ToolContext, "changed">, wanted: Deed): Promise<Done> {
  if (wanted.do === "decide") {
    const { memory, others } = await decideContradiction(ctx, wanted);
    const old = joined(others.map(handleOf), ", ");
    ctx.changed({ ids: [memory, ...others].map(({ id }) => id), listChanged: wanted.holds === "old" });
    if (wanted.holds === "both") return { text: say`The person was asked: this and ${old} both stand, and the curator leaves them as they are.` };
    return wanted.holds === "new"
      ? { text: say`The person was asked: this replaces ${old}, marked as superseded. omn_revert with request: "${ctx.requestId}" shows that and takes it back.` }
      : { text: say`The person was asked and keeps ${old}: this memory is archived. omn_update_memory with archived: false restores it.` };
  }
  if (wanted.do === "share") return share(ctx, wanted);
  const { entry } = wanted;
  if (wanted.do === "discard") {
    await discard(ctx, wanted);
    return { text: say`The person was asked and discarded ${entry === undefined ? "it" : `what was kept back as ${entry}`}: nothing is stored of it.`, instead: [], entry };
  }
  const { outcome, memory, proposal } = await release(ctx, wanted);
  const { id, version, content, sensitivity } = memory;
  ctx.changed({ ids: [id], listChanged: wanted.isNew });
  const said = outcomeWith(wanted.isNew ? "created" : outcome, proposal);
  return {
    text: say`The person was asked and released it. ${said} ${handleOf(memory)}${aside(idBeside(memory), `version ${version}`, memory.visibility)}${proposalText(proposal)}`,
    facts: { ...(entry !== undefined && sensitivity !== "secret" && { memory: content }), memory_id: id, id, version, outcome: said, event: wanted.isNew ? "ADD" : "UPDATE", updated: outcome === "updated", ...proposalOf(proposal) },
    instead: ["quarantined"],
    entry,
    counts: said === "proposed" ? [] : ["upserted", "operations_performed"],
  };
}

/** As the person was shown it: what says something else by now stays private. */
async function share(ctx: Context & Pick<ToolContext, "changed">, { id, version, visibility }: Extract<Deed, { do: "share" }>): Promise<Done> {
  const result = await revise(ctx, { target: { id }, expectedVersion: version, changes: { visibility } });
  if (result.outcome === "conflict") throw new DomainError("CONFLICT", "The memory has changed since. It stays private.");
  if (result.outcome === "quarantined") return { text: say`The person was asked and shares it, but it is kept back: it holds ${named(result.reasons.join(", "))}. It stays private.` };
  const { memory, proposal } = result;
  if (result.outcome === "updated") ctx.changed({ ids: [memory.id], listChanged: false });
  const said = outcomeWith(result.outcome, proposal);
  return {
    text: say`The person was asked and shares it. ${said} ${handleOf(memory)}${aside(`version ${memory.version}`, memory.visibility)}${proposalText(proposal)}`,
    facts: { version: memory.version, outcome: said, ...proposalOf(proposal) },
  };
}
