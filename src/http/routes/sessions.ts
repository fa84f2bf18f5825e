import type { Context as Request } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { uuidv7 } from "../../domain/ids.ts";
import * as field from "../../domain/memories/fields.ts";
import { isSecret, messagesInput } from "../../domain/memories/messages/message-input.ts";
import { describeSession } from "../../domain/sessions/describe-session.ts";
import { distrustIssuer, trustedIssuers } from "../../domain/sessions/passport-issuers.ts";
import { exportSession, type PassportPorts, withQrCode } from "../../domain/sessions/passports.ts";
import { defaultProject, passphrase, requirePath, toolId, workspacePath } from "../../domain/sessions/session-fields.ts";
import type { StoredTurn } from "../../domain/sessions/session-store.ts";
import { createSession, findSession, listSessions, recordTurns, removeSession, type Sessions, turnsOf } from "../../domain/sessions/sessions.ts";
import { turnOf } from "../../domain/sessions/turns.ts";
import { contextFields, migrationFields, sessionFields } from "../../tools/render-session.ts";
import { bounds } from "../bounded-body.ts";
import { publicOrigin } from "../origin.ts";
import { parsed } from "./body.ts";
import type { RestEnv } from "./caller.ts";
import { memoryContext } from "./proposals.ts";
import { withQuery } from "./query.ts";
import { iso } from "./wire.ts";
import { Hono } from "../hono.ts";

export const opening = z.strictObject({ tool_id: toolId, project: field.project.optional(), workspace_path: workspacePath.optional() });
export const listing = z.strictObject({ project: field.project.optional(), limit: z.coerce.number().int().min(1).max(100).default(20) });
export const page = z.strictObject({ after: z.coerce.number().int().min(0).default(0), limit: z.coerce.number().int().min(1).max(100).default(50) });
export const saying = z.strictObject({ turns: messagesInput, idempotency_key: field.idempotencyKey.optional() });

export const exporting = z.strictObject({ passphrase: passphrase.optional(), qr: z.boolean().optional() });

/** The caller's own work sessions in a team, below its path: what hooks of clients feed, and where originals of old turns are. */
export function sessionRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = async (c: Request<RestEnv>): Promise<Sessions & PassportPorts> => {
    const { sessions, passports, config } = services;
    return { ...(await memoryContext(services, c)), sessions, passports, publicOrigin: publicOrigin(new URL(c.req.url), config) };
  };

  app.get("/", withQuery(listing, async (c, asked) => c.json({ sessions: (await listSessions(await context(c), asked)).map(sessionFields) })));
  app.post("/", async (c) => {
    const ctx = await context(c);
    const { tool_id: tool, project, workspace_path: workspace } = await parsed(c.req.raw, opening);
    requirePath(workspace);
    const session = await createSession(ctx, { tool, project: project ?? workspace?.project ?? defaultProject, workspacePath: workspace?.path });
    return c.json({ session: sessionFields(session) }, 201);
  });
  app.get("/:session", async (c) => {
    const ctx = await context(c);
    const session = await findSession(ctx, { id: c.req.param("session") });
    const [described, migrations] = await Promise.all([describeSession(ctx, session), ctx.sessions.migrationsOf(ctx.principal, session.id)]);
    return c.json({ session: sessionFields(session), context: contextFields(described), migrations: migrations.map(migrationFields) });
  });
  app.delete("/:session", async (c) => {
    await removeSession(await context(c), { id: c.req.param("session") });
    return c.json({ deleted: true });
  });
  app.post("/:session/passport", async (c) => {
    const ctx = await context(c);
    const { passphrase: secret, qr } = await parsed(c.req.raw, exporting);
    const exported = await exportSession(ctx, { id: c.req.param("session"), passphrase: secret, qr });
    const isEncrypted = secret !== undefined;
    return c.json({ session: sessionFields(exported.session), ...withQrCode(exported, isEncrypted), encrypted: isEncrypted, export_url: exported.url }, 201);
  });
  app.get("/:session/turns", withQuery(page, async (c, asked) => {
    const { count, turns } = await turnsOf(await context(c), { id: c.req.param("session") ?? "", ...asked });
    return c.json({ count, turns: turns.map(shown) });
  }));
  app.post("/:session/turns", async (c) => {
    const ctx = await context(c);
    const { turns, idempotency_key: key } = await parsed(c.req.raw, saying, bounds.conversation);
    const given = turns.flatMap((message, i) => (isSecret(message) ? [] : turnOf(message, { id: key === undefined ? uuidv7(ctx.now) : `${key}/${i}`, at: ctx.now })));
    const { added, count, kept } = await recordTurns(ctx, { id: c.req.param("session"), turns: given });
    return c.json({ added, count, ...(kept < turns.length ? { refused: turns.length - kept } : {}) }, 201);
  });
  return app;
}

/** The servers whose passports the caller takes in a team, below its path. */
export function passportIssuerRoutes(services: Services): Hono<RestEnv> {
  const app = new Hono<RestEnv>();
  const context = async (c: Request<RestEnv>) => ({ ...(await memoryContext(services, c)), passports: services.passports });
  app.get("/", async (c) => c.json({ issuers: (await trustedIssuers(await context(c))).map(({ issuer, trustedAt }) => ({ issuer, trusted_at: iso(trustedAt) })) }));
  app.delete("/:issuer", async (c) => {
    return c.json({ deleted: await distrustIssuer(await context(c), { issuer: c.req.param("issuer") }) });
  });
  return app;
}

const shown = ({ seq, role, name, at, content }: StoredTurn): Record<string, unknown> => ({ turn: seq, role, ...(name === null ? {} : { name }), at: iso(at), content });
