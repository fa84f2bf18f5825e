import * as z from "zod/mini";
import { CommandFailure } from "../server.ts";

/** A tool's input and output stand in it, which may be long; more than this nobody reads here. */
const maxBytes = 8 * 1024 * 1024;

const text = z.optional(z.string());

/** What Claude Code writes to the standard input of a hook. */
const hookInput = z.object({
  session_id: z.string().check(z.minLength(1), z.maxLength(200)),
  cwd: z.string().check(z.minLength(1)),
  transcript_path: text,
  tool_name: text,
  tool_input: z.optional(z.object({ command: text })),
  tool_response: z.optional(z.union([z.object({ stdout: text, interrupted: z.optional(z.boolean()) }), z.unknown()])),
  duration_ms: z.optional(z.number()),
});
export type HookInput = z.infer<typeof hookInput>;

export async function readHookInput(stdin: AsyncIterable<Buffer>): Promise<HookInput> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    size += chunk.length;
    if (size > maxBytes) throw new CommandFailure("The input is too long.");
    chunks.push(chunk);
  }
  return parsed(Buffer.concat(chunks).toString("utf8"));
}

function parsed(given: string): HookInput {
  try {
    return hookInput.parse(JSON.parse(given));
  } catch {
    throw new CommandFailure("The input is not what Claude Code sends to a hook.");
  }
}

/** What a command printed, in the forms that it is told in. */
export function printedBy({ tool_response: response }: HookInput): string {
  if (typeof response === "string") return response;
  const stdout: unknown = typeof response === "object" && response !== null && "stdout" in response ? response.stdout : undefined;
  return typeof stdout === "string" ? stdout : "";
}
