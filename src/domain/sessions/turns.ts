import { compress } from "../compression/compress.ts";
import { screen } from "../guard/screen.ts";
import { newState } from "../memories/memory.ts";
import type { GivenMessage } from "../memories/messages/message-input.ts";
import { estimateTokens } from "../text/token-count.ts";
import type { SessionOwner, SessionStore, StoredTurn, Turn } from "./session-store.ts";

/** What somebody said, before anything is known of it. */
export type GivenTurn = Omit<Turn, "compressed">;

/** Of one session. */
export const mostTurns = 10_000;
/** The newest stand as they were said; those before are compressed; of the oldest each block is summarised. */
export const recentTurns = 10;
export const compressedTurns = 40;
export const blockTurns = 20;
/** In tokens. A shorter turn is as short as it gets. */
const shortTurn = 60;
const summaryTokens = 150;
/** In characters, of a block: what the turns say in their compressed forms. */
const longestBlock = 40_000;

/** What a message says, its pictures by their addresses. */
export const turnOf = ({ role, name, at, whole }: GivenMessage, given: { id: string; at: number }): GivenTurn => ({ id: given.id, role, name: name ?? null, at: at ?? given.at, content: whole });

/** The turn without secrets. Undefined where it gives orders to models: a conversation is read back, and nobody has looked at it. */
export function screenedTurn(turn: GivenTurn): GivenTurn | undefined {
  const found = screen(newState({ content: turn.content, ownerId: "" }));
  if (!found) return turn;
  return found.instructions.length > 0 || !found.masked ? undefined : { ...turn, content: found.masked.content };
}

/** Those that may be kept, as they may be kept. */
export const screenedTurns = (given: readonly GivenTurn[]): GivenTurn[] => given.flatMap((turn) => (turn.content.trim() === "" ? [] : (screenedTurn(turn) ?? [])));

function compressedTurn(turn: GivenTurn): Turn {
  if (estimateTokens(turn.content) <= shortTurn) return { ...turn, compressed: null };
  const { text, ratio } = compress(turn.content);
  return { ...turn, compressed: ratio === 1 ? null : text };
}

/** Adds what was said, in its order and each id once, and summarises the blocks that became old by it. Turns are screened before. */
export async function addTurns(sessions: SessionStore, owner: SessionOwner, id: string, given: readonly GivenTurn[]): Promise<number> {
  const before = await sessions.countTurns(owner, id);
  if (given.length === 0 || before >= mostTurns) return before;
  const ids = new Set<string>();
  const count = await sessions.addTurns(owner, id, given.filter((turn) => !ids.has(turn.id) && ids.add(turn.id)).map(compressedTurn));
  const old = oldBlocks(count) * blockTurns;
  const summarised = old === 0 ? 0 : ((await sessions.summaries(owner, id, 1))[0]?.seq ?? 0);
  for (let end = summarised + blockTurns; end <= old; end += blockTurns) {
    const block = await sessions.turns(owner, id, { after: end - blockTurns, limit: blockTurns });
    await sessions.setSummary(owner, id, { seq: end, summary: summaryOf(block) });
  }
  return count;
}

/** How many blocks are older than what is shown turn by turn. */
const oldBlocks = (count: number): number => Math.max(0, Math.floor((count - recentTurns - compressedTurns) / blockTurns));

export const speakerOf = ({ name, role }: Pick<Turn, "name" | "role">): string => name ?? role;

function summaryOf(block: readonly StoredTurn[]): string {
  const text = block.map((turn) => `${speakerOf(turn)}: ${turn.compressed ?? turn.content}`).join("\n");
  return compress(text.slice(0, longestBlock), { targetTokens: summaryTokens }).text;
}

export const tiers = ["verbatim", "compressed", "summary"] as const;

/** A conversation as it is read back: the number of the (last) turn, and what is shown of it. */
export interface ShownTurn {
  tier: (typeof tiers)[number];
  /** First and last turn of it. */
  from: number;
  to: number;
  role?: Turn["role"];
  name?: string;
  at?: number;
  text: string;
}

/** Of so many blocks the summaries are shown. */
const shownBlocks = 50;

/** Oldest first. The originals are there by their numbers (`SessionStore.turns`). */
export async function conversation(sessions: SessionStore, owner: SessionOwner, id: string): Promise<{ count: number; turns: ShownTurn[] }> {
  const count = await sessions.countTurns(owner, id);
  const summarised = oldBlocks(count) * blockTurns;
  const [blocks, turns] = await Promise.all([
    summarised === 0 ? [] : sessions.summaries(owner, id, shownBlocks),
    sessions.turns(owner, id, { after: summarised, limit: recentTurns + compressedTurns + blockTurns }),
  ]);
  const old = blocks.filter(({ seq }) => seq <= summarised).reverse().map(({ seq, summary }): ShownTurn => ({ tier: "summary", from: seq - blockTurns + 1, to: seq, text: summary }));
  return { count, turns: [...old, ...turns.map((turn) => shown(turn, turn.seq > count - recentTurns))] };
}

const shown = ({ seq, role, name, at, content, compressed }: StoredTurn, isRecent: boolean): ShownTurn => ({
  tier: isRecent || compressed === null ? "verbatim" : "compressed",
  from: seq,
  to: seq,
  role,
  ...(name === null ? {} : { name }),
  at,
  text: isRecent ? content : (compressed ?? content),
});
