import type { Tool } from "./define-tool.ts";
import { fetchMemory } from "./families/chatgpt/fetch.ts";
import { search } from "./families/chatgpt/search.ts";
import { exportMemoriesTool } from "./families/omn/export-memories.ts";
import { forgetMemory } from "./families/omn/forget-memory.ts";
import { healthCheck } from "./families/omn/health-check.ts";
import { importMemoriesTool } from "./families/omn/import-memories.ts";
import { listMemories } from "./families/omn/list-memories.ts";
import { memoryStats } from "./families/omn/memory-stats.ts";
import { retrieveMemory } from "./families/omn/retrieve-memory.ts";
import { storeMemory } from "./families/omn/store-memory.ts";
import { updateMemory } from "./families/omn/update-memory.ts";
import { deleteMemory } from "./families/token-saver/delete-memory.ts";
import { listTokenSaver } from "./families/token-saver/list-memories.ts";
import { readMemory } from "./families/token-saver/read-memory.ts";
import { smartResume } from "./families/token-saver/smart-resume.ts";
import { writeMemory } from "./families/token-saver/write-memory.ts";

/** Every tool there is, in the order in which lists show them. */
export const catalogue: readonly Tool[] = [
  retrieveMemory,
  storeMemory,
  updateMemory,
  forgetMemory,
  listMemories,
  exportMemoriesTool,
  importMemoriesTool,
  memoryStats,
  healthCheck,
  smartResume,
  writeMemory,
  readMemory,
  listTokenSaver,
  deleteMemory,
  search,
  fetchMemory,
];

const byName = new Map(catalogue.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool] as const)));

/** By name or alias. Lists use names that every model API accepts; callers may write a dot for an underscore. */
export const findTool = (name: string): Tool | undefined => byName.get(name) ?? byName.get(name.replaceAll(".", "_"));
