import { expect } from "vitest";
import { callTool, type ToolAnswer } from "./mcp.ts";
import type { Person } from "./team.ts";

/** Everything the person may see, as one export, secrets included. */
export async function exported(who: Person, args: Record<string, unknown> = {}): Promise<string> {
  let data = "";
  for (let cursor: string | undefined; ; ) {
    const { structured, text } = await who.call("omn_export_memories", { limit: 1_000, include_secrets: true, ...args, ...(cursor === undefined ? {} : { cursor }) });
    expect(structured["data"], text).toBeTypeOf("string");
    data += structured["data"] as string;
    cursor = structured["next_cursor"] as string | undefined;
    if (cursor === undefined) return data;
  }
}

export interface ExportedRecord {
  id: string;
  key: string | null;
  content: string;
  version: number;
  archived_at: string | null;
}
export const recordsOf = (data: string): ExportedRecord[] => data.split("\n").filter(Boolean).map((line) => JSON.parse(line) as ExportedRecord);

/** The lines of an export, without those of these memories. */
export const without = (data: string, ids: readonly string[]): string => data.split("\n").filter((line) => line !== "" && !ids.includes((JSON.parse(line) as ExportedRecord).id)).join("\n");

/** Stores with the named client; answers the memory's id. */
export async function storeAs(who: Person, client: string, args: Record<string, unknown>): Promise<string> {
  const answer = await callTool(who.token, "omn_store_memory", { allow_duplicate: true, ...args }, client);
  expect(answer.isError, answer.text).toBe(false);
  return answer.structured["memory_id"] as string;
}

export async function updateAs(who: Person, client: string, args: Record<string, unknown>): Promise<ToolAnswer> {
  const answer = await callTool(who.token, "omn_update_memory", args, client);
  expect(answer.isError, answer.text).toBe(false);
  return answer;
}

/** Preview and confirmation; answers the structured form of the second. */
export async function reverted(who: Person, selection: Record<string, unknown>): Promise<Record<string, any>> {
  const preview = await who.call("omn_revert", selection);
  expect(preview.structured, preview.text).toMatchObject({ outcome: "preview" });
  const answer = await who.call("omn_revert", { ...selection, confirm: preview.structured["confirm"] });
  expect(answer.structured, answer.text).toMatchObject({ outcome: "reverted" });
  return answer.structured;
}

export async function undone(who: Person, run: string): Promise<Record<string, any>> {
  const answer = await who.call("omn_revert", { undo: run });
  expect(answer.structured, answer.text).toMatchObject({ outcome: "undone", run });
  return answer.structured;
}
