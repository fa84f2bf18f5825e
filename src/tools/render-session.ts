import { type Framed, joined, named, say } from "../domain/frame.ts";
import type { SessionContext } from "../domain/sessions/describe-session.ts";
import type { Migration, WorkSession } from "../domain/sessions/session-store.ts";

/** Of each in an answer; the rest is in the export. */
const shown = { files: 20, searches: 10, decisions: 10 } as const;

const iso = (ms: number): string => new Date(ms).toISOString();

/** Names of the document: `current.task` is `current_task`. */
const stateName = (key: string): string => key.replaceAll(/[.:/-]/g, "_");

/** The document's form of a session. */
export const sessionFields = ({ id, project, workspacePath, tool, originalTool, createdAt, activeAt, endedAt, migrations, exports }: WorkSession): Record<string, unknown> => ({
  session_id: id,
  project_id: project,
  ...(workspacePath === null ? {} : { workspace_path: workspacePath }),
  tool_id: tool,
  original_tool: originalTool,
  created_at: iso(createdAt),
  last_activity: iso(activeAt),
  ...(endedAt === null ? {} : { ended_at: iso(endedAt) }),
  migration_count: migrations,
  passport_export_count: exports,
});

export const migrationFields = ({ fromTool, toTool, at, passportUsed, success, error }: Migration): Record<string, unknown> => ({
  from_tool: fromTool,
  to_tool: toTool,
  migrated_at: iso(at),
  passport_used: passportUsed,
  success,
  ...(error === null ? {} : { error_message: error }),
});

/** The document's `context`: the newest of what the session is about. */
export const contextFields = ({ files, searches, decisions, state, commands }: SessionContext): Record<string, unknown> => ({
  files_accessed: files.slice(0, shown.files).map(({ path, importance }) => ({ path, importance })),
  recent_searches: searches.slice(0, shown.searches).map(({ query }) => query),
  decisions: decisions.slice(0, shown.decisions).map(({ decision }) => decision),
  workflow_state: { ...Object.fromEntries(state.map(({ key, value }) => [stateName(key), value])), recent_commands: commands },
});

/** The same in words. */
export function contextText({ files, searches, decisions, state }: SessionContext): Framed {
  const lines = [
    ...listed("In work", state.map(({ key, text }) => say`${named(key)}: ${text}`)),
    ...listed("Decided", decisions.slice(0, shown.decisions).map(({ decision }) => say`${decision}`)),
    ...listed("Files", files.slice(0, shown.files).map(({ path }) => named(path)), ", "),
    ...listed("Searched", searches.slice(0, shown.searches).map(({ query }) => named(query)), ", "),
  ];
  return lines.length === 0 ? say`Nothing is noted in this session yet.` : joined(lines);
}

const listed = (title: string, entries: Framed[], separator?: string): Framed[] =>
  entries.length === 0 ? [] : [say`${title}:${separator === undefined ? joined(entries.map((entry) => say`\n- ${entry}`), "") : say` ${joined(entries, separator)}`}`];
