import * as z from "zod";
import { invalid } from "../../../domain/errors.ts";
import { joined, named, say } from "../../../domain/frame.ts";
import { authorsOf } from "../../../domain/memories/authorship.ts";
import * as field from "../../../domain/memories/fields.ts";
import { listCheckpoints, nameOf, restoreCheckpoint, saveCheckpoint, usualName } from "../../../domain/workflows/checkpoints.ts";
import { suggestNext } from "../../../domain/workflows/suggest.ts";
import { additive, defineTool, type ToolContext, type ToolResult } from "../../define-tool.ts";
import { adviceOf, guardOf, guardText, iso, memoryText } from "../../render.ts";
import { shownSuggestion, suggestionsText } from "./suggest-next-action.ts";
import { sessionId } from "./workflow-fields.ts";

const mostListed = 50;
const suggested = 3;

const input = z.strictObject({
  action: z.enum(["save", "list", "restore"]).default("save"),
  name: field.namespacePart("name", 100).optional().describe(`${usualName} unless said`),
  note: field.filled("note", 2_000).optional(),
  state: field.json.optional().meta({ listed: { description: "any JSON" } }),
  /** To restore one by its id, also of another project. */
  checkpoint_id: field.memoryRef.optional().meta({ listed: null }),
  session_id: sessionId.optional().meta({ listed: null }),
});

/** OmniMemory document 4.4. */
export const workflowCheckpoint = defineTool({
  name: "omn_workflow_checkpoint",
  title: "Workflow checkpoint",
  description: "Where the work stands, with its last steps: save it with a note, list what was saved, restore it by name.",
  scope: "memory:write",
  annotations: additive,
  input,
  output: z.looseObject({ outcome: z.string() }),
  handler: (ctx, { action, ...asked }) => {
    const unused = action === "save" ? asked.checkpoint_id : (asked.note ?? asked.state);
    if (unused !== undefined) throw invalid(`${action === "save" ? "checkpoint_id is" : "note and state are"} of no use to ${action}.`, "To keep a state, use action: save.");
    return action === "save" ? save(ctx, asked) : action === "list" ? listed(ctx) : restore(ctx, asked);
  },
});

type Asked = Omit<z.output<typeof input>, "action">;

async function save(ctx: ToolContext, { name, note, state, session_id }: Asked): Promise<ToolResult> {
  const { memory, outcome, found } = await saveCheckpoint(ctx, { project: ctx.project, session: session_id ?? ctx.sessionId, name, note, state });
  if (outcome === "created" || outcome === "updated") ctx.changed({ ids: [memory.id], listChanged: outcome === "created" });
  const advice = guardText(outcome, found);
  return {
    structured: { outcome, checkpoint_id: memory.id, name: name ?? usualName, version: memory.version, ...guardOf(outcome, found), ...adviceOf(advice) },
    text: say`${outcome} checkpoint ${named(name ?? usualName)} (version ${memory.version}) id ${memory.id}${advice}`,
  };
}

async function listed(ctx: ToolContext): Promise<ToolResult> {
  const memories = await listCheckpoints(ctx, { project: ctx.project }, mostListed);
  const authorOf = await authorsOf(ctx, memories);
  const checkpoints = memories.map((memory) => {
    const author = authorOf(memory);
    return { name: nameOf(memory), checkpoint_id: memory.id, version: memory.version, saved_at: iso(memory.updatedAt), tool: memory.updatedTool, ...(author === undefined ? {} : { author }) };
  });
  return {
    structured: { outcome: "listed", checkpoints },
    text:
      checkpoints.length === 0
        ? say`no checkpoint in this project`
        : joined(checkpoints.map(({ name, saved_at, tool, checkpoint_id, author }) => say`${named(name)} (${saved_at}, ${named(tool)}${author === undefined ? "" : say`, by ${named(author)}`}) id ${checkpoint_id}`)),
  };
}

async function restore(ctx: ToolContext, { name, checkpoint_id, session_id }: Asked): Promise<ToolResult> {
  const { found, checkpoint } = await restoreCheckpoint(ctx, { project: ctx.project, name: name ?? usualName, id: checkpoint_id });
  const { memory, author } = found;
  const { recentCommands: context } = checkpoint;
  const { suggestions } = await suggestNext(ctx, { project: ctx.project, session: session_id ?? ctx.sessionId, ...(context.length === 0 ? {} : { context }), limit: suggested });
  return {
    structured: {
      outcome: "restored",
      checkpoint_id: memory.id,
      name: nameOf(memory),
      saved_at: iso(memory.updatedAt),
      tool: memory.updatedTool,
      ...(author === undefined ? {} : { author }),
      ...(checkpoint.note === undefined ? {} : { note: checkpoint.note }),
      recent_commands: context,
      ...(checkpoint.state === undefined ? {} : { state: checkpoint.state }),
      next: suggestions.map(shownSuggestion),
    },
    text: joined([memoryText(found), ...(suggestions.length === 0 ? [] : [say`what usually comes next:`, suggestionsText(suggestions)])]),
  };
}
