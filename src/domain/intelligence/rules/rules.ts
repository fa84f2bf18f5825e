import type { Answered, Intelligence } from "../intelligence.ts";
import { consolidateByRules } from "./consolidate.ts";
import { decideByRules } from "./decide.ts";
import { enrichByRules } from "./enrich.ts";
import { extractByRules } from "./extract.ts";
import { linkByRules } from "./link.ts";
import { summariseByRules } from "./summarise.ts";

const byRules = <T>(answer: T): Promise<Answered<T>> => Promise.resolve({ answer, by: "rules" });

/** Understands texts by rules alone: no network, at once, and always the same. */
export const rules: Intelligence = {
  enrich: (note) => byRules(enrichByRules(note)),
  extract: (messages) => byRules(extractByRules(messages)),
  decide: (facts, present) => byRules(decideByRules(facts, present)),
  link: (note, candidates) => byRules(linkByRules(note, candidates)),
  consolidate: (first, second) => byRules(consolidateByRules(first, second)),
  summarise: (text, options) => byRules(summariseByRules(text, options)),
};
