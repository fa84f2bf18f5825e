import { readFileSync } from "node:fs";

/** The three files of PrecisionMemBench, as far as they are read. */

export interface Belief {
  _id: string;
  user_id: string;
  type: string;
  canonical_name: string;
  aliases: string[];
  content: string;
  why_it_matters: string;
  scope: string[];
  epistemic_status: string;
  confidence: number;
  pinned: boolean;
  resolved_at: string | null;
  superseded_by: string | null;
  /** Of a relation. */
  participants?: string[];
}

export interface Expectation {
  relevantBeliefs?: { mustExclude?: string[]; shouldOnlyInclude?: string[] };
  noiseCheck?: { mustNotSurface: string[] };
}

/** A question among the seed, or a turn of a session: what is asked and what should come back. */
export interface Case {
  id: string;
  category: string;
  userId: string;
  scope: string[];
  query: string;
  maxBeliefs: number;
  expect: Expectation;
}

export interface Turn extends Case {
  /** Stored after the turn. */
  create: Belief | undefined;
  /** Added after the turn. */
  aliases: { beliefId: string; added: string[] } | undefined;
}

export interface PrecisionData {
  beliefs: Belief[];
  cases: Case[];
  turns: Turn[];
}

export const mainUser = "test-user";
const defaultBeliefs = 20;

export const precisionFiles = ["beliefs.seed.json", "retrieval.cases.json", "session-retrieval.cases.json"] as const;

interface RawCase {
  caseId: string;
  category: string;
  userId?: string;
  scope: string[];
  query: string;
  budget?: { maxBeliefs?: number };
  expect: Expectation;
}

interface RawSession {
  caseId: string;
  turns: {
    turnIndex: number;
    scope: string[];
    userMessage: string;
    expect: Expectation;
    createBeliefAtTurn?: Belief;
    updateBeliefAtTurn?: { beliefId: string; addAliases?: string[] };
  }[];
}

export function loadPrecision(dataDir: string): PrecisionData {
  const [beliefs, cases, sessions] = precisionFiles.map((file) => JSON.parse(readFileSync(`${dataDir}/${file}`, "utf8")) as unknown) as [Belief[], RawCase[], RawSession[]];
  return {
    beliefs,
    cases: cases.map(({ caseId, category, userId, scope, query, budget, expect }) => ({
      id: caseId, category, userId: userId ?? mainUser, scope, query, maxBeliefs: budget?.maxBeliefs ?? defaultBeliefs, expect,
    })),
    turns: sessions.flatMap(({ caseId, turns }) =>
      turns.map(({ turnIndex, scope, userMessage, expect, createBeliefAtTurn, updateBeliefAtTurn: update }) => ({
        id: `${caseId}/${turnIndex}`, category: "sessions", userId: mainUser, scope, query: userMessage, maxBeliefs: defaultBeliefs, expect,
        create: createBeliefAtTurn,
        aliases: update === undefined ? undefined : { beliefId: update.beliefId, added: update.addAliases ?? [] },
      })),
    ),
  };
}
