import type { Turn } from "../../client/client.ts";

/** What a file says, as a memory is imported. */
export interface Note {
  content: string;
  tags?: string[];
  /** ISO 8601. */
  occurred_at?: string;
}

export interface Conversation {
  id: string;
  turns: Turn[];
}

/** What is in a file of another tool. */
export interface Found {
  /** What the file is, as a person reads it. */
  format: string;
  notes: Note[];
  conversations: Conversation[];
  /** Entries as an import of the server takes them. */
  records: (Record<string, unknown> & { content: string })[];
}

/** The format that holds this, and of whatever is left out nothing. */
export const found = (format: string, parts: Partial<Omit<Found, "format">>): Found => ({ format, notes: [], conversations: [], records: [], ...parts });

/** Names as sentences have them: `works_at` is "works at". */
export const words = (name: string): string => name.replaceAll(/[_\s]+/g, " ").trim();

/** Not every text is a time. */
export function instant(given: string | number | null | undefined): string | undefined {
  const date = new Date(typeof given === "number" ? given * 1_000 : (given ?? ""));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
