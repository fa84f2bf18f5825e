import type { Family } from "../../define-family.ts";
import { renderError } from "../../errors.ts";
import { deleteMemory } from "./delete-memory.ts";
import { listTokenSaver } from "./list-memories.ts";
import { readMemory } from "./read-memory.ts";
import { smartResume } from "./smart-resume.ts";
import { writeMemory } from "./write-memory.ts";

/** The Token Saver document: values under keys in scopes, and a briefing to begin a conversation with. */
export const tokenSaver = {
  name: "token-saver",
  tools: [smartResume, writeMemory, readMemory, listTokenSaver, deleteMemory],
  resources: [],
  renderError,
} as const satisfies Family;
