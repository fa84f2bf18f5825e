import * as z from "zod";
import { type Framed, joined, say } from "../../../domain/frame.ts";
import * as field from "../../../domain/memories/fields.ts";
import { importMemories, parseExport } from "../../../domain/memories/import.ts";
import { ownNamespaceOf } from "../../../domain/memories/memory.ts";
import { type PortableMemory, portableMemory } from "../../../domain/memories/portable.ts";
import { additive, bulkCost, defineTool } from "../../define-tool.ts";
import { adviceOf } from "../../render.ts";

/** OmniMemory document 1.7; features A row 1 (at most 1,000 memories a call). */
export const importMemoriesTool = defineTool({
  name: "omn_import_memories",
  title: "Import memories",
  description: "Store many memories at once: up to 1,000 of {content, key, …}, or data of an export with its sha256 and count.",
  scope: "memory:write",
  annotations: additive,
  cost: bulkCost,
  input: z
    .strictObject({
      memories: z.array(portableMemory).min(1).max(1_000).meta({ listed: { type: "array", items: { type: "object" } } }).optional(),
      data: field.filled("data", 8_000_000).optional(),
      sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, "must be 64 hexadecimal digits").optional(),
      count: z.number().int().nonnegative().optional(),
      /** As the export named it; the import reads the format from the data. */
      format: z.enum(["ndjson", "json"]).optional().meta({ listed: null }),
      on_conflict: z.enum(["update", "skip"]).default("update"),
    })
    .refine((input) => (input.memories === undefined) !== (input.data === undefined), { message: "give either memories or data" }),
  output: z.looseObject({ created: z.number(), updated: z.number(), unchanged: z.number().meta({ listed: null }), skipped: z.number().meta({ listed: null }) }),
  async handler(ctx, input) {
    const isNew = ({ id, history }: PortableMemory): boolean => id === undefined && history === undefined;
    const records = input.memories?.map((record) => (isNew(record) ? { ...record, namespace: record.namespace ?? ownNamespaceOf(ctx) } : record)) ?? (await parseExport(input.data as string, { sha256: input.sha256, count: input.count }));
    const result = await importMemories(ctx, { records, onConflict: input.on_conflict });
    if (result.created + result.updated > 0) ctx.changed({ ids: result.ids.slice(0, 100), listChanged: result.created > 0 });
    const { created, updated, unchanged, skipped, proposed, quarantined, masked, expired, proposedLinks, renamed } = result;
    const notes = joined([
      ...(quarantined > 0 ? [say` ${quarantined} are kept back in quarantine (omn_memory_health says why).`] : []),
      ...(masked > 0 ? [say` In ${masked} secrets are masked; the originals are in quarantine.`] : []),
      ...(expired > 0 ? [say` ${expired} had expired already, and are not found.`] : []),
      ...waiting(proposed, "memories"),
      ...waiting(proposedLinks, "links"),
      ...(renamed.length > 0 ? [say` ${renamed.length} have new ids, because theirs are taken here; the old ids lead to them within this team.`] : []),
    ], "");
    return {
      structured: {
        created, updated, unchanged, skipped, count: records.length, memory_ids: result.ids,
        ...adviceOf(notes),
        ...(quarantined > 0 ? { quarantined } : {}), ...(masked > 0 ? { masked } : {}), ...(expired > 0 ? { expired } : {}),
        ...(proposed > 0 ? { proposed } : {}), ...(proposedLinks > 0 ? { proposed_links: proposedLinks } : {}), ...(renamed.length > 0 ? { renamed } : {}),
      },
      text: say`Imported ${records.length}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped.${notes}`,
    };
  },
});

const waiting = (count: number, what: string): Framed[] =>
  count > 0 ? [say` ${count} ${what} wait for an admin of the team to accept what others are to see of them.`] : [];
