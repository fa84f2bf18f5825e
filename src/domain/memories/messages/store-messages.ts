import type { Context } from "../../context.ts";
import { keyOfPart } from "../../hash.ts";
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
  for (const [i, { role, name, whole, at, metadata }] of messages.filter(({ whole: text }) => text.trim() !== "").entries()) {
    const own = toState({ metadata });
    stored.push(
      await remember(ctx, {
        ...state,
        ...own,
        content: whole,
        ...(at === undefined ? {} : { occurredAt: at }),
        metadata: { ...state.metadata, ...own.metadata, role, ...(name === undefined ? {} : { name }) },
        idempotencyKey: idempotencyKey && (i === 0 ? idempotencyKey : await keyOfPart(idempotencyKey, String(i))),
      }),
    );
  }
  return stored;
}
