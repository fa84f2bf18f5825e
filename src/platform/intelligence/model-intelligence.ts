import type { Answered, Intelligence } from "../../domain/intelligence/intelligence.ts";
import { ModelFailure } from "../../domain/intelligence/model-failure.ts";
import { askModel, type AskOptions } from "./ask-model.ts";
import { OutageBreaker } from "./outage.ts";
import type { Task } from "./task.ts";
import { consolidate } from "./tasks/consolidate.ts";
import { decide } from "./tasks/decide.ts";
import { enrich } from "./tasks/enrich.ts";
import { extract } from "./tasks/extract.ts";
import { link } from "./tasks/link.ts";
import { summarise } from "./tasks/summarise.ts";

export interface ModelIntelligenceOptions extends Omit<AskOptions, "own"> {
  /** Provider and model, such as `anthropic:claude-haiku-4-5`. */
  name: string;
  /** Answers where the model gives no answer that can be used. */
  fallback: Intelligence;
  /** The team's own instructions for extraction and for decisions, in the place of ours. */
  prompts?: { extract?: string | undefined; decide?: string | undefined };
  /** Notes why the model gave no answer. Never holds texts or credentials. */
  report(event: string, error: unknown): void;
}

/** Asks a language model. The caller makes notes by `noteOf`, so that nothing secret and nothing from quarantine is sent. */
export function modelIntelligence({ name, fallback, prompts = {}, report, ...ask }: ModelIntelligenceOptions): Intelligence {
  const breaker = new OutageBreaker();
  async function answered<Input, Answer>(task: Task<Input, Answer>, input: Input, rules: () => Promise<Answered<Answer>>, own?: string): Promise<Answered<Answer>> {
    try {
      return { answer: await breaker.run(ask.now, () => askModel(task, input, { ...ask, own })), by: name };
    } catch (error) {
      report("intelligence.fallback", error);
      // What is no failure of a model is one of the ledger, without which nobody knows what may be spent.
      const reason = error instanceof ModelFailure ? error.reason : "budget";
      return { ...(await rules()), insteadOf: { by: name, reason } };
    }
  }
  return {
    enrich: (note) => answered(enrich, note, () => fallback.enrich(note)),
    extract: (messages, options = {}) => answered(extract, messages, () => fallback.extract(messages, options), options.prompt ?? prompts.extract),
    decide: (facts, present, options = {}) => answered(decide, { facts, present }, () => fallback.decide(facts, present, options), options.prompt ?? prompts.decide),
    link: (note, candidates) => answered(link, { note, candidates }, () => fallback.link(note, candidates)),
    consolidate: (first, second) => answered(consolidate, { first, second }, () => fallback.consolidate(first, second)),
    summarise: (text, options) => answered(summarise, { text, ...options }, () => fallback.summarise(text, options)),
  };
}
