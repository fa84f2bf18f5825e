import type { Embedder, Embedders, TextKind } from "../embedding/embedder.ts";
import { heldOutPairs, type PairSource } from "../embedding/held-out-pairs.ts";
import { measuredScale } from "../embedding/measured-scales.ts";
import { scaleFrom, type SimilarityScale } from "../embedding/similarity-scale.ts";
import type { TeamRef } from "../tenancy/team-ref.ts";
import { embedTexts } from "./embed.ts";
import { underLease, type FollowPorts } from "./follow.ts";
import type { Run, RunLimits } from "./stage.ts";
import type { IndexingTask } from "./task.ts";

/** The scales of the spaces of each team. Not on behalf of a person: nothing is hidden. */
export interface ScaleStore {
  /** The space that answers, how many memories the team has, and from how many on the scale is to be made (again). */
  state(team: TeamRef): Promise<{ space: string; memories: number; dueFrom: number | undefined } | undefined>;
  /** Memories that the space holds, newest first; none that is secret, quarantined, archived or expired. */
  samples(team: TeamRef, space: string, now: number, limit: number): Promise<PairSource[]>;
  /** Without a scale the earlier one stays. Does nothing once the lease is lost. */
  note(run: Run, made: { scale: SimilarityScale | undefined; at: number; dueFrom: number }): Promise<void>;
}

export interface CalibrationPorts extends FollowPorts {
  scales: ScaleStore;
  embedders: Embedders;
}

export const scaleStageName = "similarity_scale";

/** Fewer pairs than this are too much alike, or too few, for a mean. */
const minPairs = 24;
const maxPairs = 64;
/** Not all of them make a pair, and neighbours in time are often about one thing. */
const maxSamples = 256;
/** A scale is of the model more than of the texts: it moves little, so that it is seldom made again. */
const growth = 8;
/** Where no scale came out of it, the next memories may make the difference. */
const growthWithout = 1.25;
const maxMs = 20_000;

/**
 * Measures what the cosines of the serving space mean, for a model that comes without a measured scale: on pairs made of the
 * team's own memories. Whatever fails, is tried again with a later change; it never holds up the other tasks.
 */
export function calibrationTask(ports: CalibrationPorts): IndexingTask {
  const { scales, embedders } = ports;
  return {
    expectedCursors: [],
    async run(team, clock, { deadline }) {
      const state = await scales.state(team);
      if (!state || measuredScale(state.space) || state.memories < (state.dueFrom ?? minPairs) || clock() >= deadline) return { state: "done" };
      const { space, memories } = state;
      const embedder = embedders.bySpace(space);
      if (!embedder) return { state: "done" };
      await underLease(ports, { team, stage: scaleStageName, space }, clock, async (run, { attempts }) => {
        const at = clock();
        const pairs = heldOutPairs(await scales.samples(team, space, at, maxSamples), maxPairs);
        const limits = { clock, attempts, deadline: Math.min(deadline, at + maxMs) };
        const scale = pairs.length < minPairs ? undefined : await measure(embedder, pairs, limits);
        await scales.note(run, { scale, at, dueFrom: Math.ceil(memories * (scale ? growth : growthWithout)) });
        return "done";
      });
      return { state: "done" };
    },
  };
}

async function measure(embedder: Embedder, pairs: ReturnType<typeof heldOutPairs>, limits: RunLimits): Promise<SimilarityScale | undefined> {
  const embed = async (texts: string[], kind: TextKind): Promise<Map<string, Float32Array>> => {
    const { vectors, interrupted } = await embedTexts(embedder, texts, limits, { timeoutMs: maxMs, kind });
    if (interrupted) throw interrupted;
    return vectors;
  };
  const queries = await embed(pairs.map(({ query }) => query), "query");
  const asked = pairs.filter(({ query }) => queries.has(query));
  const passages = await embed(asked.map(({ passage }) => passage), "passage");
  const whole = asked.filter(({ passage }) => passages.has(passage));
  return scaleFrom(whole.map(({ query }) => queries.get(query) as Float32Array), whole.map(({ passage }) => passages.get(passage) as Float32Array));
}
