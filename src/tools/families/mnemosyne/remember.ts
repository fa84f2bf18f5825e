import * as z from "zod";
import { json } from "../../../domain/frame.ts";
import { linkMemory, resolveEnds } from "../../../domain/graph/link.ts";
import * as field from "../../../domain/memories/fields.ts";
import { ownNamespaceOf } from "../../../domain/memories/memory.ts";
import { remember } from "../../../domain/memories/remember.ts";
import { announceStored, questionAfter } from "../../after-store.ts";
import { additive, defineTool } from "../../define-tool.ts";
import { adviceOf, guardOf, outcomeWith, proposalOf, repeatedText } from "../../render.ts";
import { links, toLinks } from "./links.ts";
import { contextEntry, summaryOf } from "./note.ts";
import { agentRole, fromTen, importance, memoryType, namespace, pascal, toTen } from "./words.ts";

/** Mnemosyne document, decide 5. */
export const rememberTool = defineTool({
  name: "mnemosyne_remember",
  title: "Remember",
  description: "Store a decision, pattern, fix, constraint or preference for all AI tools, with links to what it extends, contradicts or supersedes.",
  scope: "memory:write",
  annotations: { ...additive, idempotentHint: false },
  input: z.strictObject({
    content: field.content,
    namespace: namespace.optional(),
    importance: importance.optional(),
    context: field.filled("context", 1_000).optional().describe("why or when it came up"),
    memory_type: memoryType.optional(),
    tags: field.tags.optional(),
    confidence: field.fraction.optional().meta({ listed: null }),
    related_files: z.array(field.exactKey).max(100).optional().meta({ listed: null }),
    agent_role: agentRole.optional(),
    expires_at: field.instant.optional().meta({ listed: null }),
    scope: field.visibility.optional().meta({ listed: null }),
    links: links.optional().meta({ listed: { type: "array", items: { type: "object" }, description: "{target_id, link_type: Extends|Contradicts|Implements|References|Supersedes, strength 0–1, reason}" } }),
    /** Named in the answer that makes it necessary. */
    allow_duplicate: z.boolean().optional().meta({ listed: null }),
  }),
  output: z.looseObject({ memory_id: z.string(), outcome: z.string(), summary: z.string(), importance: z.number(), tags: z.array(z.string()) }),
  async handler(ctx, { content, namespace, importance, context, memory_type, tags, confidence, related_files, agent_role, expires_at, scope, links: given, allow_duplicate }) {
    const wanted = toLinks(given);
    // A link that leads nowhere is refused before anything is stored.
    await resolveEnds(ctx, wanted);
    const result = await remember(ctx, {
      content,
      namespace: namespace ?? ownNamespaceOf(ctx),
      importance: importance === undefined ? undefined : fromTen(importance),
      metadata: context === undefined ? undefined : { [contextEntry]: context },
      type: memory_type,
      tags,
      confidence,
      relatedFiles: related_files,
      agentId: agent_role,
      expiresAt: expires_at,
      visibility: scope,
      allowDuplicate: allow_duplicate,
    });
    const { memory } = result;
    const isHere = result.outcome !== "duplicate" && result.outcome !== "quarantined";
    const proposal = (isHere ? await linkMemory(ctx, memory, wanted) : undefined) ?? result.proposal;
    const outcome = outcomeWith(result.outcome, proposal);
    announceStored(ctx, result, outcome);
    const repeated = repeatedText(outcome, memory, "mnemosyne_update");
    const structured = {
      memory_id: memory.id,
      outcome,
      namespace: memory.namespace,
      // What is kept back is not repeated.
      summary: outcome === "quarantined" ? "" : summaryOf(memory),
      memory_type: pascal(memory.type),
      importance: toTen(memory.importance),
      tags: memory.tags,
      links: isHere ? wanted.length : 0,
      ...proposalOf(proposal),
      ...guardOf(outcome, result.found),
      ...(repeated && adviceOf(repeated)),
    };
    return { structured, text: json(structured), question: questionAfter(result) };
  },
});
