import type { Family } from "../../define-family.ts";
import { embedText } from "./embed-text.ts";
import { recallContext } from "./recall-context.ts";
import { renderKomError } from "./error.ts";
import { saveContext } from "./save-context.ts";
import { searchMemory } from "./search-memory.ts";
import { syncSemanticTool } from "./sync-semantic.ts";
import { syncJobs, tierMemories } from "./tier-resources.ts";
import { upsertMemory } from "./upsert-memory.ts";
import { warmCache } from "./warm-cache.ts";

/** The Kompanion document: contexts under keys, a store of texts searched by words and vectors, and the tiers of memory. */
export const kom = {
  name: "kom",
  tools: [saveContext, recallContext, embedText, upsertMemory, searchMemory, warmCache, syncSemanticTool],
  resources: [tierMemories, syncJobs],
  renderError: renderKomError,
} as const satisfies Family;
