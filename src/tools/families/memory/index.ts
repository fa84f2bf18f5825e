import type { Family } from "../../define-family.ts";
import { memoryAdd } from "./add.ts";
import { renderMemoryError } from "./answer.ts";
import { memoryDelete } from "./delete.ts";
import { memoryDeleteAll } from "./delete-all.ts";
import { memoryGetAll } from "./get-all.ts";
import { memoryGetHistory } from "./get-history.ts";
import { memoryGetStats } from "./get-stats.ts";
import { memoryGraph } from "./graph.ts";
import { memoryInitSession } from "./init-session.ts";
import { memorySearch } from "./search.ts";
import { memoryUpdate } from "./update.ts";

/** The memory-server document: messages in, facts kept, and the memories of a person, an agent or a conversation. */
export const memoryServer = {
  name: "memory",
  tools: [memoryAdd, memorySearch, memoryGetAll, memoryUpdate, memoryDelete, memoryDeleteAll, memoryGetHistory, memoryGetStats, memoryInitSession, memoryGraph],
  resources: [],
  renderError: renderMemoryError,
} as const satisfies Family;
