import type { IndexChanges } from "../../domain/ports.ts";
import type { Generations } from "./generation.ts";
import type { TextIndex } from "../text-index/text-index.ts";

/**
 * The memories that changed for this person since the generation, and the terms that they hold or are lent by now; undefined
 * when it is not known: of a text that has moved to a segment nobody knows the terms.
 */
export function changesSince(sql: SqlStorage, text: TextIndex, generations: Generations, userId: string, generation: string): IndexChanges | undefined {
  const ids = generations.changedSince(userId, generation);
  if (!ids) return undefined;
  const rows = sql.exec<{ slot: number; part: string }>(
    `SELECT d.slot AS slot, d.part AS part FROM json_each(?) j CROSS JOIN sources s CROSS JOIN docs d ON d.team_id = s.team_id AND d.memory_id = j.value
     WHERE d.until_at IS NULL AND d.slot IS NOT NULL AND (d.visibility <> 'private' OR d.owner_id = ?)`,
    JSON.stringify(ids), userId,
  );
  const terms = new Set<string>();
  for (const { slot, part } of rows) {
    const held = text.freshTerms(part, slot);
    if (!held) return undefined;
    for (const term of held) terms.add(term);
  }
  return { ids, terms: [...terms] };
}
