import * as z from "zod";
import { linkTypes } from "../../../domain/graph/graph.ts";
import * as field from "../../../domain/memories/fields.ts";
import { memoryTypes, namespaceOf, sessionNamespaceOf } from "../../../domain/memories/memory.ts";
import { projectIdentity } from "../../../domain/project.ts";

/** The document's words for the values of a memory, and ours. */

/** `architecture_decision` as `ArchitectureDecision`. */
export const pascal = (name: string): string => name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** One of the names, in the document's spelling or in ours. */
const spelled = <T extends string>(names: readonly T[], label: string) => {
  const byName = new Map<string, T>(names.flatMap((name) => [[name, name], [pascal(name), name]]));
  return z
    .string()
    .refine((value) => byName.has(value), { message: `${label} must be one of ${names.map(pascal).join(", ")}` })
    .transform((value) => byName.get(value) as T);
};

export const memoryType = spelled(memoryTypes, "memory_type").meta({ listed: { type: "string", description: "ArchitectureDecision, CodePattern, BugFix, Configuration, Constraint, Entity, Insight, Reference, Preference" } });
export const linkType = spelled(linkTypes, "link_type").meta({ listed: { type: "string", description: "Extends, Contradicts, Implements, References, Supersedes" } });

/** Agents of a role see what that role stored and what none did (Agent-Specific Views of the document). The client says which it is: a view, and no right. */
export const agentRole = field.userId.meta({ listed: { type: "string", description: "of an agent, such as reviewer" } });

/** Importance of 1–10; a tenth of ours for each, so that what was given comes back as it was. */
export const importance = z.number().int().min(1).max(10).meta({ listed: { type: "integer", description: "1–10" } });
export const fromTen = (given: number): number => given / 10;
export const toTen = (ours: number): number => Math.min(10, Math.max(1, Math.round(ours * 10)));
/** The least of ours that reads as at least so much. */
export const atLeastTen = (given: number): number => (given === 1 ? 0 : (given - 0.5) / 10);

const forms = "global, project:<name> or session:<project>/<id>";

/** A namespace as text, with a slash or a second colon in that of a session, or as the document's type writes it. */
export const namespace = z
  .union(
    [
      z.string(),
      z.strictObject({ Project: z.string() }),
      z.strictObject({ Session: z.strictObject({ project: z.string(), session_id: z.string() }) }),
    ],
    { error: `namespace must be ${forms}` },
  )
  .transform((given) => {
    if (typeof given === "string") return given === "Global" ? "global" : given.replace(/^session:([^/:]+):/, "session:$1/");
    return "Project" in given ? namespaceOf(projectIdentity(given.Project)) : sessionNamespaceOf(projectIdentity(given.Session.project), given.Session.session_id);
  })
  .pipe(field.namespace)
  .meta({ listed: { type: "string", description: forms } });
