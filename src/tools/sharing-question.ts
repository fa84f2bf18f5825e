import { type Framed, quoted, say } from "../domain/frame.ts";
import type { ReviseOutcome, Wider } from "../domain/memories/revise.ts";
import { preview } from "../domain/recall/presentation/excerpt.ts";
import type { Question } from "./define-tool.ts";
import { handleOf } from "./render.ts";

const shown = 300;
/** Who sees what is not private. */
export const audience: Record<Wider, string> = { shared: "your team", public: "your organization" };

/** Whether others are to see what only its owner saw: the person says so, where the client can ask them. */
export function sharingQuestion({ memory, wider }: Extract<ReviseOutcome, { outcome: "updated" | "unchanged" | "proposed" }>): Question | undefined {
  if (!wider) return undefined;
  const { id, version, sensitivity, content } = memory;
  return {
    message: say`${handleOf(memory)} is private to you. Is ${audience[wider]} to see it?${sensitivity === "secret" ? say`` : say` It says: ${quoted(preview(content, shown).toString())}`}`,
    asks: { acts: [{ title: "Keep it private" }, { title: `Share it with ${audience[wider]}`, does: { do: "share", id, version, visibility: wider } }] },
  };
}

/** What the answer of a change says that leaves a memory private. */
export const privateStill = (wider: Wider): Framed => say`It stays private unless the person agrees that ${audience[wider]} sees it.`;
