import * as z from "zod";
import { aside, type Framed, joined, named, say } from "../../../domain/frame.ts";
import { health } from "../../../domain/memories/health.ts";
import type { Memory } from "../../../domain/memories/memory.ts";
import { preview } from "../../../domain/recall/presentation/excerpt.ts";
import { bulkCost, defineTool, readOnly } from "../../define-tool.ts";
import { handleOf } from "../../render.ts";

const entry = z.looseObject({ memory_id: z.string() });

/** Users 12, report card. What is in quarantine is named and not shown: it may be aimed at the model that reads this. */
export const memoryHealth = defineTool({
  name: "omn_memory_health",
  title: "Health of the memories",
  description: "What may be wrong with your memories and how to repair it: kept back in quarantine, said twice, stale. Changes nothing.",
  scope: "memory:read",
  annotations: readOnly,
  cost: bulkCost,
  input: z.strictObject({}),
  output: z.looseObject({ quarantined: z.array(entry), duplicates: z.array(z.array(z.string())), stale: z.array(entry) }),
  async handler(ctx) {
    const { quarantined, duplicates, stale } = await health(ctx);
    const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const line = (memory: Memory): Framed => say`- ${handleOf(memory)}${aside(`id ${memory.id}`, day(memory.updatedAt))}: ${preview(memory.content, 80)}`;
    const parts: Framed[] = [
      ...(quarantined.length === 0 ? [] : [
        say`${quarantined.length} in quarantine, which nobody finds. The person releases or discards them outside of this conversation (GET /v1/teams/<team>/quarantine shows what they say):`,
        ...quarantined.map(({ id, createdAt, quarantine }) => say`- id ${id}${aside(day(createdAt))}: ${named((quarantine?.reasons ?? []).join(", "))}`),
      ]),
      ...(duplicates.length === 0 ? [] : [
        say`${duplicates.length} said more than once; keep one of each and forget the others (omn_forget_memory with ids):`,
        ...duplicates.map((same) => say`- ${joined(same.map(({ id }) => say`${id}`), ", ")}: ${preview((same[0] as Memory).content, 80)}`),
      ]),
      ...(stale.length === 0 ? [] : [say`${stale.length} neither read nor changed for half a year; forget what nobody needs:`, ...stale.map(line)]),
    ];
    return {
      structured: {
        quarantined: quarantined.map(({ id, createdAt, quarantine }) => ({ memory_id: id, reasons: quarantine?.reasons ?? [], held_at: new Date(createdAt).toISOString() })),
        duplicates: duplicates.map((same) => same.map(({ id }) => id)),
        stale: stale.map(({ id, key, updatedAt }) => ({ memory_id: id, ...(key === null ? {} : { key }), updated_at: new Date(updatedAt).toISOString() })),
      },
      text: parts.length === 0 ? say`Nothing to repair: no quarantine, no duplicates, nothing stale.` : joined(parts),
    };
  },
});
