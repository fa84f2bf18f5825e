import { catalogue, families, type FamilyName, findInFamily, prompts } from "./catalogue.ts";
import type { Family } from "./define-family.ts";
import type { Prompt } from "./define-prompt.ts";
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

const isSurface = (name: string): name is Surface => (surfaces as readonly string[]).includes(name);

/** What the server's URL asks for; undefined when there is no such surface. */
export function surfaceOf(url: URL): Surface | undefined {
  const name = url.search === "" ? null : url.searchParams.get("surface");
  if (name === null) return "core";
  return isSurface(name) ? name : undefined;
}

/**
 * Surfaces for conversations. Clients such as Claude Code and Codex hand a model nothing but the structured answer where a tool has
 * an output schema, and that costs up to six times the tokens of the text and lacks its frame.
 */
const forModels: ReadonlySet<Surface> = new Set(["core", "token-saver"]);

/** Whether a tool answers with structured content and is listed with its schema. One that is not listed answers as on its family's surface. */
export function isStructured(tool: Tool, surface: Surface): boolean {
  if (!tool.annotations.readOnlyHint) return true;
  const family = findInFamily(tool.name)?.family.name as FamilyName;
  return !forModels.has(toolsOf(surface).includes(tool) ? surface : family);
}

export function toolsOf(surface: Surface): readonly Tool[] {
  if (surface === "all") return catalogue;
  if (surface === "core") return catalogue.filter((tool) => core.has(tool.name));
  return families.find(({ name }) => name === surface)?.tools ?? [];
}

/** Prompts that a person chooses from in their client; those of other surfaces can be got by name all the same. */
export function promptsOf(surface: Surface): readonly Prompt[] {
  if (surface === "all") return prompts;
  const chosen: Family | undefined = families.find(({ name }) => name === surface);
  return chosen?.prompts ?? [];
}
