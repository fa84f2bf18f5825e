import { happenedAt, type Memory, topicOf } from "../memories/memory.ts";
import { projectName } from "../project.ts";
import type { Note } from "./intelligence.ts";

/**
 * What a provider may be told of a memory. Every note is made here, so that no secret and nothing from quarantine reaches a provider.
 * @throws when the memory is secret, redacted or kept back: the caller was to leave it out
 */
export function noteOf(memory: Memory): Note {
  if (memory.sensitivity === "secret" || memory.redaction !== undefined) throw new Error("A secret memory is told to no provider");
  if (memory.quarantine !== null) throw new Error("A memory in quarantine is told to no provider");
  const { content, value, namespace, key, summary, type, tags } = memory;
  return {
    content: value === null ? content : [content, JSON.stringify(value)].filter(Boolean).join("\n"),
    context: projectName(topicOf(namespace)),
    key,
    summary,
    type,
    tags,
    at: happenedAt(memory),
  };
}
