import * as z from "zod";
import * as field from "../../../domain/memories/fields.ts";

/** Fields that the tools and the REST interface of workflows have in common. */
export const command = field.filled("command", 10_000);
export const sessionId = field.filled("session_id", 200);
export const durationMs = z.number().int().min(0).max(1_000_000_000);
export const context = z.array(command).max(20, "at most 20 commands");
export const limit = (most: number, usual: number) => z.number().int().min(1).max(most).default(usual);
