/** One structured line for what went wrong on our side. Never holds memory text or credentials. */
export function logFault(event: string, requestId: string, error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  console.error(JSON.stringify({ level: "error", event, requestId, name, message, stack }));
}
