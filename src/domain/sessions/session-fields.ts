import * as z from "zod";
import { label } from "../frame.ts";
import { filled, projectGiven } from "../memories/fields.ts";
import { isPlain } from "../guard/screen.ts";
import { invalid } from "../errors.ts";

/** Of a connection that names none. */
export const defaultProject = "default";

/** In characters of the name that a client announces. */
export const longestClientName = 100;

/** A word that a client calls itself by: it is shown without a frame of its own. */
export const toolId = z.string().regex(/^[\w.:@+/-][\w .:@+/-]{0,48}[\w.:@+/-]?$/, "must be a name such as claude-code");
/** What a session and its documents call a tool: whatever its client announces itself as, of which `claude-ai (via mcp-remote 0.1.37)` is one. */
export const toolName = z.string().refine((name) => name !== "" && name === label(name, longestClientName), { message: "must be a name such as claude-code" });
/** Any name is looked for, and one that nobody has is not there. */
export const sessionRef = filled("session_id", 100);

/** It is all that opens the passport, and nobody can look it up. */
export const passphrase = filled("passphrase", 200).refine((value) => [...value].length >= 12, { message: "passphrase must have at least 12 characters" });

export interface Workspace {
  /** As the client named it. */
  path: string;
  project: string;
}

const ofWorkspace = projectGiven("workspace_path");
export const workspacePath = filled("workspace_path", 500)
  .refine((path) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(path), { message: "workspace_path must not contain control characters" })
  .transform((path, context): Workspace => {
    const project = ofWorkspace.safeParse(path);
    if (project.success) return { path: path.trim(), project: project.data };
    context.addIssue({ code: "custom", message: project.error.issues[0]?.message ?? "workspace_path names no folder" });
    return z.NEVER;
  });

/** A path stands in every description of the session, so it must not be anything else. @throws VALIDATION_ERROR */
export function requirePath(workspace: Workspace | undefined): void {
  if (workspace && !isPlain(workspace.path)) throw invalid("workspace_path holds something else than a path.", "Give the folder of the project, or leave it out.");
}
