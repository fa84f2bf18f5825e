/** Answers leave out what is at its default; this puts it back, for tests that compare whole memories. */
export function withUsual<T>(structured: T): T {
  const { memories } = structured as { memories?: unknown };
  if (!Array.isArray(memories)) return structured;
  return { ...structured, memories: memories.map((memory: Record<string, unknown>) => ({ version: 1, namespace: "global", ...memory, metadata: { scope: "private", importance: 0.5, ...(memory["metadata"] as object | undefined) } })) };
}
