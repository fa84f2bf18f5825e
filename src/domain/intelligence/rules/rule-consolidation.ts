import type { Intelligence } from "../intelligence.ts";
import { consolidateByRules } from "./consolidate.ts";

/** The rules as a provider, for verbs that a person waits for. */
export const byRules: Pick<Intelligence, "consolidate"> = {
  consolidate: (first, second) => Promise.resolve({ answer: consolidateByRules(first, second), by: "rules" }),
};
