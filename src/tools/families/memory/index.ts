import type { Family } from "../../define-family.ts";
import { renderError } from "../../errors.ts";
import { memoryAdd } from "./add.ts";

/** The memory-server document: messages in, facts kept. */
export const memoryServer = {
  name: "memory",
  tools: [memoryAdd],
  resources: [],
  renderError,
} as const satisfies Family;
