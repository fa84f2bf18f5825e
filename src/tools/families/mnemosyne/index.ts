import type { Family } from "../../define-family.ts";
import { renderError } from "../../errors.ts";
import { consolidateTool } from "./consolidate.ts";
import { context } from "./context.ts";
import { deleteTool } from "./delete.ts";
import { graph } from "./graph.ts";
import { listTool } from "./list.ts";
import { recallTool } from "./recall.ts";
import { rememberTool } from "./remember.ts";
import { update } from "./update.ts";

/** The Mnemosyne document, in the order of its phases: observe, orient, decide, act. */
export const mnemosyne = {
  name: "mnemosyne",
  tools: [recallTool, listTool, graph, context, rememberTool, consolidateTool, update, deleteTool],
  resources: [],
  renderError,
} as const satisfies Family;
