import * as z from "zod";
import type { Context } from "../context.ts";
import { invalid, noMemory } from "../errors.ts";
import { checkpointEvent } from "../events/work-events.ts";
import { named } from "../frame.ts";
import { stateOfValue, valueOf } from "../memories/any-value.ts";
import { list } from "../memories/list.ts";
import { initialState } from "../memories/memory-fields.ts";
import { type Json, type Memory, namespaceOf } from "../memories/memory.ts";
import { remember, type RememberOutcome } from "../memories/remember.ts";
import { cachedRecall } from "../recall/cache/cached-recall.ts";
import type { Recalled } from "../recall/recall.ts";
import { spokenIn } from "./actions.ts";
import { threadOf } from "./record-steps.ts";

/**
 * Where somebody was in their work. A checkpoint is a memory under a key of its own, private unless it is shared like any other: so
 * the write guard, versions, quota, export and erasure hold for it, and it is found from every tool.
 */
export interface Checkpoint {
  note?: string | undefined;
  /** The last steps that were recorded, oldest first. */
  recentCommands: string[];
  state?: Json | undefined;
}

const keyPrefix = "workflow.checkpoint.";
const tag = "workflow-checkpoint";
/** What a save without a name replaces, its history kept. */
export const usualName = "latest";
const mostRecent = 10;

const stored = z.object({ note: z.string().optional(), recent_commands: z.array(z.string()).default([]), state: z.json().optional() });

const namespaceIn = (project: string | undefined): string => (project === undefined ? initialState.namespace : namespaceOf(project));

export const nameOf = ({ key }: Pick<Memory, "key">): string => (key?.startsWith(keyPrefix) ? key.slice(keyPrefix.length) : (key ?? ""));

interface Place {
  project: string | undefined;
  session: string | undefined;
}

/** Keeps what is said of the work, with the last steps, under a name; what had the name before is an earlier version. */
export async function saveCheckpoint(ctx: Context, { project, session, name = usualName, note, state }: Place & { name?: string | undefined } & Omit<Checkpoint, "recentCommands">): Promise<RememberOutcome> {
  const steps = await ctx.workflows.recent(ctx.principal, { project: project ?? "", thread: threadOf(ctx, session), limit: mostRecent });
  if (steps.length === 0 && note === undefined && state === undefined) throw invalid("There is nothing to keep: no step was recorded here.", "Say the state of the work in note or state.");
  const recent = steps.flatMap(({ action, command, success }) => spokenIn(new Map([[action, command]]), action, success));
  const value = { ...(note === undefined ? {} : { note }), recent_commands: recent, ...(state === undefined ? {} : { state }) };
  const saved = await remember(ctx, { ...stateOfValue(value, "state"), key: `${keyPrefix}${name}`, namespace: namespaceIn(project), tags: [tag], allowDuplicate: true });
  if (saved.outcome === "created" || saved.outcome === "updated") ctx.tell?.([checkpointEvent(ctx, saved.memory)]);
  return saved;
}

/** The checkpoints of a project, newest first. */
export const listCheckpoints = async (ctx: Context, { project }: Pick<Place, "project">, limit: number): Promise<Memory[]> =>
  (await list(ctx, { keyPattern: `${keyPrefix}*`, filter: { namespaces: [namespaceIn(project)] }, limit })).memories;

/** What was kept under a name, one's own before what others share, or as the memory of this id. @throws MEMORY_NOT_FOUND */
export async function restoreCheckpoint(ctx: Context, { project, name, id }: Pick<Place, "project"> & { name: string; id?: string | number | undefined }): Promise<{ found: Recalled; checkpoint: Checkpoint }> {
  const asked = id === undefined ? { key: `${keyPrefix}${name}`, filter: { namespaces: [namespaceIn(project)] } } : { id };
  const [found] = (await cachedRecall(ctx, { ...asked, limit: 1 }, "checkpoint")).items;
  if (!found) throw noMemory(`There is no checkpoint ${id ?? named(name)} here.`, "action: list shows which there are in this project.");
  const value = valueOf(found.memory);
  const { data } = stored.safeParse(value);
  // A memory that somebody wrote by hand is a state all the same.
  return { found, checkpoint: data ? { note: data.note, recentCommands: data.recent_commands, state: data.state as Json | undefined } : { recentCommands: [], state: value } };
}
