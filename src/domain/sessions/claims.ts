import { type DomainError, notFound } from "../errors.ts";
import { requireScope } from "../tenancy/principal.ts";
import { newToken, tokenHashOf } from "../tenancy/web-session.ts";
import { describeSession } from "./describe-session.ts";
import type { PassportStore } from "./passport-store.ts";
import type { WorkSession } from "./session-store.ts";
import type { Sessions } from "./sessions.ts";

/** So long a person has to come by the other tool, or the other machine. */
export const claimMs = 10 * 60_000;
const path = /^\/claim\/([\w-]{1,100})\/([0-9A-Za-z]{1,100})$/;

export interface ClaimPorts {
  passports: { store: PassportStore };
  publicOrigin: string;
}
type Claims = Sessions & ClaimPorts;

/** One answer for every reason: used, over, somebody else's, or never made. */
export const claimRefused = (): DomainError =>
  notFound("This link opens no session. It may be used, older than ten minutes, mistyped, or somebody else's.", "Export the session again with omn_export_session.");

/** A link to a session, which opens it once, for the person who made it and in this team alone. The token is in no store. */
export async function newClaim({ principal, now, passports, publicOrigin }: Claims, sessionId: string): Promise<string> {
  const token = newToken();
  const tokenHash = (await tokenHashOf(token)) ?? "";
  await passports.store.addClaim(principal, { tokenHash, sessionId, expiresAt: now + claimMs }, now);
  return `${publicOrigin}/claim/${principal.teamId}/${token}`;
}

/** The link in a text that is nothing else. */
export function claimIn(given: string): { teamId: string; token: string } | undefined {
  const text = given.trim();
  const [, teamId, token] = (/^https?:/i.test(text) && URL.canParse(text) && path.exec(new URL(text).pathname)) || [];
  return teamId === undefined || token === undefined ? undefined : { teamId, token };
}

export interface ClaimedSession {
  session: WorkSession;
  counts: { files: number; searches: number; decisions: number; tasks: number };
}

/** What the link leads to; looking at it uses nothing up. @throws NOT_FOUND */
export const previewClaim = (ctx: Claims, token: string): Promise<ClaimedSession> => claimed(ctx, token, "findClaim");

/** @throws NOT_FOUND the second time */
export const takeClaim = (ctx: Claims, token: string): Promise<ClaimedSession> => claimed(ctx, token, "takeClaim");

async function claimed(ctx: Claims, token: string, how: "findClaim" | "takeClaim"): Promise<ClaimedSession> {
  requireScope(ctx.principal, "memory:write");
  requireScope(ctx.principal, "memory:read");
  const tokenHash = await tokenHashOf(token);
  const id = tokenHash === undefined ? undefined : await ctx.passports.store[how](ctx.principal, tokenHash, ctx.now);
  const session = id === undefined ? undefined : await ctx.sessions.find(ctx.principal, id);
  if (!session) throw claimRefused();
  const { files, searches, decisions, state } = await describeSession(ctx, session);
  return { session, counts: { files: files.length, searches: searches.length, decisions: decisions.length, tasks: state.length } };
}
