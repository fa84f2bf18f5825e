import type { Context } from "../context.ts";
import { uuidv7 } from "../ids.ts";
import type { GivenState } from "../memories/memory-fields.ts";
import { type GivenMessage, isSecret } from "../memories/messages/message-input.ts";
import { turnOf } from "./turns.ts";

/** Notes in the session's trail what a conversation says. What is to be kept sealed is no part of it. */
export function noteMessages({ trail, now }: Context, messages: readonly GivenMessage[], state: GivenState): void {
  if (!trail || state.sensitivity === "secret") return;
  for (const message of messages) if (message.whole.trim() !== "" && !isSecret(message)) trail.note({ kind: "turn", turn: turnOf(message, { id: uuidv7(now), at: now }) });
}
