import { sql } from "drizzle-orm";
import { foreignKey, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { SessionTrace } from "../../domain/sessions/session-trace.ts";

/** A person's work with one client tool in one project. Nobody else sees it. */
export const workSessions = sqliteTable(
  "work_sessions",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    userId: text("user_id").notNull(),
    project: text().notNull(),
    workspacePath: text("workspace_path"),
    originalTool: text("original_tool").notNull(),
    tool: text().notNull(),
    createdAt: integer("created_at").notNull(),
    activeAt: integer("active_at").notNull(),
    endedAt: integer("ended_at"),
    migrations: integer().notNull().default(0),
    exports: integer().notNull().default(0),
    /** Names of memories, never their text: what is forgotten or becomes secret is gone from here, too. */
    trace: text({ mode: "json" }).$type<SessionTrace>().notNull(),
    /** Grows with every change of the trace, so that of two writers one notices the other. */
    revision: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.id] }),
    uniqueIndex("work_sessions_open").on(table.teamId, table.userId, table.project, table.tool).where(sql`ended_at IS NULL`),
    index("work_sessions_active").on(table.teamId, table.userId, table.activeAt),
  ],
);

/** What was said in a session, as it was said; the forms that older turns are shown in are derived from it. */
export const sessionTurns = sqliteTable(
  "session_turns",
  {
    teamId: text("team_id").notNull(),
    sessionId: text("session_id").notNull(),
    seq: integer().notNull(),
    /** A turn that is sent twice is kept once. */
    id: text().notNull(),
    role: text({ enum: ["user", "assistant", "system"] }).notNull(),
    name: text(),
    at: integer().notNull(),
    content: text().notNull(),
    /** NULL where nothing can be left out. */
    compressed: text(),
    /** On the last turn of a block: what the block says. */
    summary: text(),
  },
  (table) => [
    primaryKey({ columns: [table.teamId, table.sessionId, table.seq] }),
    foreignKey({ columns: [table.teamId, table.sessionId], foreignColumns: [workSessions.teamId, workSessions.id] }).onDelete("cascade"),
    uniqueIndex("session_turns_id").on(table.teamId, table.sessionId, table.id),
  ],
);

/** Every attempt to carry a session from one tool to another, failed ones too, which may name sessions that are not there. */
export const sessionMigrations = sqliteTable(
  "session_migrations",
  {
    teamId: text("team_id").notNull(),
    id: text().notNull(),
    sessionId: text("session_id").notNull(),
    userId: text("user_id").notNull(),
    fromTool: text("from_tool"),
    toTool: text("to_tool").notNull(),
    at: integer().notNull(),
    passportUsed: integer("passport_used", { mode: "boolean" }).notNull(),
    success: integer({ mode: "boolean" }).notNull(),
    error: text(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.id] }), index("session_migrations_user").on(table.teamId, table.userId, table.sessionId)],
);

/** Other servers whose passports a person takes, after having been asked once. Nobody else's imports follow from it. */
export const passportIssuers = sqliteTable(
  "passport_issuers",
  {
    teamId: text("team_id").notNull(),
    userId: text("user_id").notNull(),
    /** An origin. */
    issuer: text().notNull(),
    trustedAt: integer("trusted_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.userId, table.issuer] })],
);

/** Links by which a person takes a session of theirs to another tool, each once. */
export const passportClaims = sqliteTable(
  "passport_claims",
  {
    teamId: text("team_id").notNull(),
    userId: text("user_id").notNull(),
    /** The link itself is kept nowhere. */
    tokenHash: text("token_hash").notNull(),
    sessionId: text("session_id").notNull(),
    expiresAt: integer("expires_at").notNull(),
    claimedAt: integer("claimed_at"),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.userId, table.tokenHash] })],
);
