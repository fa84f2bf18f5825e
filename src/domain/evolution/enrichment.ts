import type { Step, StepResult, WorkKind } from "../curation/work-kind.ts";
import { DomainError } from "../errors.ts";
import type { Answered, Intelligence } from "../intelligence/intelligence.ts";
import type { Enrichment } from "../intelligence/answers.ts";
import { aboutWhat } from "../intelligence/model-failure.ts";
import { noteOf } from "../intelligence/note.ts";
import { isEnrichable } from "../memories/enriched.ts";
import type { Memory } from "../memories/memory.ts";
import { asSaid } from "../memories/memory-fields.ts";
import { retryOnConflict } from "../memories/retry-on-conflict.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import { upkeepIn } from "../tenancy/upkeep.ts";
import { isEvolving } from "./evolution-policy.ts";
import type { EvolutionPorts } from "./evolve.ts";
import { enrichedBy } from "./enriched-by.ts";
import { dayMs, type EvolutionStore, type FactsStep } from "./facts.ts";
import { type Evolved, writeEvolved } from "./write-evolved.ts";

/** A model, and its name as `enrichment.by` has it. */
export interface NamedModel {
  name: string;
  intelligence: Pick<Intelligence, "enrich">;
}

export interface EnrichableStore {
  /**
   * Memories above an id, in the order of ids, of which something is derived by rules and may be by this model: present, neither secret
   * nor quarantined, and not such that it has no answer to them.
   */
  toEnrich(step: FactsStep, which: { after: string; model: string; limit: number }): Promise<{ id: string; audience: string }[]>;
}

export interface EnrichmentPorts extends Omit<EvolutionPorts, "facts"> {
  facts: EvolutionStore & EnrichableStore;
  /** The model of the deployment; undefined where there is none, or the team wants the rules. */
  modelOf(team: TeamRef): Promise<NamedModel | undefined>;
}

/** Asked side by side. A step takes as long as one question, which is twice the time of one attempt at most. */
const asksAtOnce = 4;
/** Counted, not asked. */
const countedAtOnce = 500;
const rule = "enrichment";
/**
 * A text that gets no answer so often while others get theirs is left to the next run, and the texts behind it have their turn. The cursor
 * counts: `<id>~<tries>`, of the first text behind the id. An outage counts for no text.
 */
const mostTries = 3;

/** Asks a language model for what the rules have derived, one version for each memory. What somebody said stays as it is said. */
export const enrichment = (ports: EnrichmentPorts): WorkKind => ({
  name: "enrichment",
  every: dayMs,
  isWanted: async (team) => (await isEvolving(ports.policy, team)) && (await ports.modelOf(team)) !== undefined,
  step: (step) => enrich(ports, step),
});

interface Asked {
  memory: Memory;
  audience: string;
  said: Answered<Enrichment>;
}

async function enrich(ports: EnrichmentPorts, step: Step): Promise<StepResult> {
  const { team, run, cursor, changes } = step;
  const [after = "", tried = "0"] = cursor.split("~");
  const model = await ports.modelOf(team);
  if (!model) return { cursor, isLast: true, counts: {} };
  const limit = run.isDry ? countedAtOnce : Math.min(asksAtOnce, changes);
  const found = await ports.facts.toEnrich(step, { after, model: model.name, limit });
  const end = { cursor: found.at(-1)?.id ?? after, isLast: found.length < limit };
  if (run.isDry) return { ...end, counts: { looked_at: found.length, [rule]: found.length } };

  // Side by side, since a service that failed a few times in a row is left alone for a while.
  const [asked, answersOthers] = await Promise.all([ask(ports, team, model, found), (run.failures > 0 || tried !== "0") && answers(model)]);
  for (const [audience, group] of Map.groupBy(asked, (one) => one.audience)) await write(ports, step, audience, group);
  const failed = asked.flatMap(({ memory, said: { insteadOf } }) => (insteadOf ? [{ id: memory.id, about: aboutWhat(insteadOf.reason) }] : []));
  const counts = { looked_at: asked.length, put_off: failed.filter(({ about }) => about !== "texts").length };
  // The next run asks again: by then there is another budget.
  if (failed.some(({ about }) => about === "budget")) return { cursor, isLast: true, counts };
  const waiting = new Set(failed.flatMap(({ id, about }) => (about === "service" ? [id] : [])));
  if (waiting.size === 0) return { ...end, counts };
  if (waiting.size === asked.length && !answersOthers) throw new DomainError("PROVIDER_ERROR", `The model ${model.name} gives no answers.`, { hint: "What the rules derived stays, and the model is asked again." });
  const next = found.findIndex(({ id }) => waiting.has(id));
  const tries = next === 0 ? Number(tried) + 1 : 1;
  const answered = asked.length - waiting.size;
  if (tries < mostTries) return { cursor: `${found[next - 1]?.id ?? after}~${tries}`, isLast: false, counts: { looked_at: answered } };
  return { cursor: found[next]?.id ?? after, isLast: false, counts: { looked_at: answered + 1, put_off: 1 } };
}

/** Whether the service answers to a text with which nothing can be wrong. */
const answers = async ({ intelligence }: NamedModel): Promise<boolean> => {
  const { insteadOf } = await intelligence.enrich({ content: "The library is closed on Sundays." });
  return insteadOf === undefined || aboutWhat(insteadOf.reason) !== "service";
};

async function ask({ facts }: EnrichmentPorts, team: TeamRef, { intelligence }: NamedModel, found: readonly { id: string; audience: string }[]): Promise<Asked[]> {
  const groups = [...Map.groupBy(found, (one) => one.audience)];
  const memories = await Promise.all(groups.map(async ([audience, group]) => ({ audience, whole: await facts.whole(upkeepIn(team, audience), audience, group.map(({ id }) => id)) })));
  const open = memories.flatMap(({ audience, whole }) => whole.filter(isEnrichable).map((memory) => ({ memory, audience })));
  // What the rules derived is not said to the model: it is to look for itself.
  return Promise.all(open.map(async (one) => ({ ...one, said: await intelligence.enrich(noteOf(asSaid(one.memory))) })));
}

/** Those of one audience that are as they were when the model was asked. */
async function write(ports: EnrichmentPorts, step: Step, audience: string, asked: readonly Asked[]): Promise<void> {
  const changed = asked.flatMap(({ memory, said }) => {
    const next = enrichedBy(memory, said);
    return next ? [{ memory, next }] : [];
  });
  if (changed.length === 0) return;
  await retryOnConflict("these memories", async () => {
    const facts = await ports.facts.factsOf(step, changed.map(({ memory }) => memory.id));
    const byId = new Map(facts.map((one) => [one.id, one]));
    const unchanged = changed.flatMap(({ memory, next }): Evolved[] => {
      const present = byId.get(memory.id);
      return present && !present.isHeld && present.audience === audience && present.version === memory.version ? [{ memory, next, changedAt: present.changedAt, rules: [rule] }] : [];
    });
    await writeEvolved(ports, step, audience, unchanged);
  });
}
