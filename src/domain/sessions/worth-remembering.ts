import type { Context } from "../context.ts";
import { isMasked } from "../guard/mask.ts";
import { isPlain } from "../guard/screen.ts";
import { enrichByRules } from "../intelligence/rules/enrich.ts";
import { forgottenBy } from "../intelligence/rules/forgetting.ts";
import { extractByRules } from "../intelligence/rules/extract.ts";
import { namespaceOf } from "../memories/memory.ts";
import type { MemoryType } from "../memories/memory-values.ts";
import { saysTheSame } from "../memories/same-statement.ts";
import { mayBeSaid } from "../memories/similar.ts";
import { mayWrite } from "../tenancy/principal.ts";
import { defaultProject } from "./session-fields.ts";
import type { SessionStore } from "./session-store.ts";

/** What the person said in a conversation, in the form of something that lasts, and that no memory they see says yet. */
export interface WorthRemembering {
  text: string;
  /** What its form makes it. */
  kind: string;
  sessionId: string;
  /** Where the session's project keeps its memories; undefined without a project. */
  namespace: string | undefined;
  turn: number;
}

/** Sessions and turns that one card looks through, newest first; what it searches for, and what it names. */
const mostSessions = 5;
const mostTurns = 40;
const mostSearched = 12;
const mostNamed = 5;
/** In characters: a fact is a sentence or two. */
const longest = 300;

const kinds: Partial<Record<MemoryType, string>> = { architecture_decision: "a decision", constraint: "a rule", preference: "a preference" };

/**
 * Of the caller's own work sessions alone. Turns are stored without secrets and orders to models; what shows traces of either is left
 * out once more. Nothing where the caller may not store it.
 */
export async function worthRemembering(ctx: Context & { sessions: SessionStore }): Promise<WorthRemembering[]> {
  const { principal, sessions } = ctx;
  if (!mayWrite(principal)) return [];
  const candidates = distinct((await statements(principal, sessions)).filter(({ text }) => text.length <= longest && !isMasked(text) && isPlain(text))).slice(0, mostSearched);
  const isKnown = await Promise.all(candidates.map(({ text, namespace }) => mayBeSaid(ctx, { content: text, namespace: namespace ?? "global" })));
  return candidates.filter((_, i) => !isKnown[i]).slice(0, mostNamed);
}

async function statements(owner: Context["principal"], sessions: SessionStore): Promise<WorthRemembering[]> {
  const recent = await sessions.list(owner, { limit: mostSessions });
  const found = await Promise.all(
    recent.map(async ({ id: sessionId, project }) => {
      const turns = (await sessions.lastTurns(owner, sessionId, mostTurns)).filter(({ role }) => role === "user");
      const { facts } = extractByRules(turns.map(({ role, name, content }) => ({ role, text: content, name: name ?? undefined })));
      return facts.flatMap(({ text, message }) => {
        const turn = turns[message ?? -1];
        return turn && forgottenBy(text) === undefined ? [{ text, kind: kinds[enrichByRules({ content: text, key: null }).type] ?? "a lasting fact", sessionId, namespace: project === defaultProject ? undefined : namespaceOf(project), turn: turn.seq, at: turn.at }] : [];
      });
    }),
  );
  return found.flat().sort((a, b) => b.at - a.at || b.turn - a.turn).map(({ at: _at, ...one }) => one);
}

/** The newest of what was said more than once. */
const distinct = (said: readonly WorthRemembering[]): WorthRemembering[] => said.filter(({ text }, i) => !said.slice(0, i).some((newer) => newer.text === text || saysTheSame(newer.text, text)));
