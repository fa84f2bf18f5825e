import { catalogue, families, type FamilyName } from "./catalogue.ts";
import type { Tool } from "./define-tool.ts";

/**
 * The tools that a connection lists, chosen by `?surface=` in the server's URL. A list costs tokens in every conversation;
 * tools outside it can still be called by name. `core` stays within 9 tools and 1,500 tokens (features F).
 */
export type Surface = "core" | "all" | FamilyName;
export const surfaces: readonly Surface[] = ["core", "all", ...families.map(({ name }) => name)];

const core = new Set([
  "omn_retrieve_memory",
  "omn_store_memory",
  "omn_update_memory",
  "omn_forget_memory",
  "omn_list_memories",
  "omn_import_memories",
  "omn_health_check",
  "smart_resume",
]);

export const isSurface = (name: string): name is Surface => (surfaces as readonly string[]).includes(name);

export function toolsOf(surface: Surface): readonly Tool[] {
  if (surface === "all") return catalogue;
  if (surface === "core") return catalogue.filter((tool) => core.has(tool.name));
  return families.find(({ name }) => name === surface)?.tools ?? [];
}
