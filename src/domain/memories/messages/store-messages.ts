import type { Context } from "../../context.ts";
import { keyOfPart } from "../../hash.ts";
import { requireMetadata } from "../fields.ts";
import type { GivenState } from "../memory-fields.ts";
import { toState } from "../portable.ts";
import { remember, type RememberOutcome } from "../remember.ts";
import type { GivenMessage } from "./message-input.ts";

/** Stores each message as a memory of its own, word for word, with who said it and what it says of itself; nothing is taken from it. */
export async function storeMessages(
  ctx: Context,
  { messages, state, idempotencyKey }: { messages: readonly GivenMessage[]; state: GivenState; idempotencyKey?: string | undefined },
): Promise<RememberOutcome[]> {
  const stored: RememberOutcome[] = [];
  const inputs = messages.filter(({ whole: text }) => text.trim() !== "").map(({ role, name, whole, at, metadata: given }) => {
    const own = toState({ metadata: given });
    const metadata = { ...state.metadata, ...own.metadata, role, ...(name === undefined ? {} : { name }) };
    requireMetadata("The metadata of a message, of this call and of its session", metadata);
    return { ...state, ...own, content: whole, ...(at === undefined ? {} : { occurredAt: at }), metadata };
  });
  for (const [i, input] of inputs.entries()) {
    stored.push(await remember(ctx, { ...input, idempotencyKey: idempotencyKey && (i === 0 ? idempotencyKey : await keyOfPart(idempotencyKey, String(i))) }));
  }
  return stored;
}
