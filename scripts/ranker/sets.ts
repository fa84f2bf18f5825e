import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadLocomo } from "../../test/evals/locomo.ts";
import { mulberry32 } from "./boost.ts";
import { loadPrecision, mainUser } from "../../test/evals/precision-cases.ts";
import { teamSets } from "../../test/evals/teams.ts";

/** A body of memories and what is asked about it. */
export interface Body {
  name: string;
  memories: Record<string, unknown>[];
  questions: { id: string; text: string; gold: string[]; kind: string; tag?: string; namespaces?: string[]; now?: string }[];
}

const read = <T>(file: string): T => JSON.parse(readFileSync(file, "utf8")) as T;

/** Longest memory, in characters; a longer message becomes several. */
const longest = 9_500;

export function beam(dataDir: string): Body {
  interface Chat { id: string; turns: { id: string; session: string; at?: string; speaker: string; text: string }[]; questions: { text: string; gold: string[]; cat: string }[] }
  const { chats } = read<{ chats: Chat[] }>(join(dataDir, "beam-100k.json"));
  return {
    name: "beam",
    memories: chats.flatMap(({ id, turns }) => turns.flatMap((turn) => {
      const text = `${turn.speaker}: ${turn.text}`;
      return Array.from({ length: Math.ceil(text.length / longest) }, (_, part) => ({
        key: `${id}:${turn.id}${part ? `-p${part + 1}` : ""}`, content: text.slice(part * longest, (part + 1) * longest), namespace: `thread:${id}-s${turn.session}`, tags: [id], ...(turn.at ? { occurred_at: new Date(turn.at).toISOString() } : {}),
      }));
    })),
    questions: chats.flatMap(({ id, questions }) => questions.map(({ text, gold, cat }, i) => ({ id: `${id}/${i}`, text, kind: cat, tag: id, gold: gold.map((turn) => `${id}:${turn}`) }))),
  };
}

export function locomo(dataDir: string): Body {
  const conversations = loadLocomo(readFileSync(join(dataDir, "locomo-dev.json"), "utf8"));
  return {
    name: "locomo",
    memories: conversations.flatMap(({ tag, turns }) => turns.map(({ id, session, occurredAt, text }) => ({ key: `${tag}:${id}`, content: text, namespace: `thread:${tag}-s${session}`, tags: [tag, `session-${session}`], ...(occurredAt ? { occurred_at: occurredAt } : {}) }))),
    questions: conversations.flatMap(({ tag, questions }) => questions.map(({ id, text, category, gold }) => ({ id, text, kind: category, tag, gold: [...gold].map((turn) => `${tag}:${turn}`) }))),
  };
}

export function devmem(dataDir: string): Body {
  interface Session { sessionId: string; metadata: { date: string; project: string }; messages: { role: string; content: string }[] }
  interface Question { questionId: string; questionType: string; question: string; haystackSessionIds: string[] }
  return {
    name: "devmem",
    memories: read<Session[]>(join(dataDir, "devmembench_sessions.json")).map(({ sessionId, metadata, messages }) => ({
      key: sessionId, content: messages.map(({ role, content }) => `${role}: ${content}`).join("\n\n"), namespace: metadata.project === "both" ? "global" : `project:${metadata.project}`, occurred_at: `${metadata.date}T00:00:00Z`,
    })),
    questions: read<Question[]>(join(dataDir, "devmembench_questions.json")).map(({ questionId, questionType, question, haystackSessionIds }) => ({ id: questionId, text: question, kind: haystackSessionIds.length === 0 ? "unanswerable" : questionType, gold: haystackSessionIds })),
  };
}

/** PrecisionMemBench's beliefs (MIT), as `test/evals/precision.ts` stores them. */
export function precision(dataDir: string): Body {
  const { beliefs, cases } = loadPrecision(dataDir);
  const present = beliefs.filter(({ user_id, superseded_by, resolved_at }) => user_id === mainUser && !superseded_by && !resolved_at);
  const names = new Map(present.map(({ _id, canonical_name }) => [_id, canonical_name]));
  const namespaceOf = (scope = "user:universal"): string => (scope === "user:universal" ? "global" : scope.replace(/^domain:/, "project:"));
  return {
    name: "precision",
    memories: present.map(({ canonical_name, content, why_it_matters, aliases, confidence, scope }) => ({ key: canonical_name, content, summary: why_it_matters, tags: aliases, confidence, namespace: namespaceOf(scope[0]) })),
    questions: cases.filter(({ query }) => query.trim() !== "").flatMap(({ id, query, scope, expect }) => scope.map((one) => ({
      id: `${id}/${one}`, text: query, kind: "belief", namespaces: [namespaceOf(one)],
      gold: (expect.relevantBeliefs?.shouldOnlyInclude ?? []).filter((belief) => present.some(({ _id, scope: places }) => _id === belief && places.includes(one))).flatMap((belief) => names.get(belief) ?? []),
    }))),
  };
}

interface Conversation { id: string; questions: { id: string; kind: string; text: string; evidence: string[] }[] }

/** Chats of friends, written for this project: each turn a memory. */
export function friends(folder: string, name: string): Body {
  interface Chat extends Conversation { sessions: { id: string; occurred_at: string; turns: { id: string; speaker: string; text: string; caption?: string }[] }[] }
  const { conversations } = read<{ conversations: Chat[] }>(join(folder, `${name}.json`));
  return {
    name,
    memories: conversations.flatMap(({ id, sessions }) => sessions.flatMap((session) => session.turns.map((turn) => ({ key: turn.id, content: `${turn.speaker} said, "${turn.text}"${turn.caption ? ` and shared ${turn.caption}` : ""}`, namespace: `thread:${id}-${session.id}`, tags: [id], occurred_at: session.occurred_at })))),
    questions: [...conversations.flatMap(questionsOf), ...conversations.flatMap(swappedIn)],
  };
}

/** Of a question that names one of the two who talk, the same asked of the other: what answers it was said of somebody else. */
function swappedIn({ id, questions, sessions }: Conversation & { sessions: { turns: { speaker: string }[] }[] }): Body["questions"] {
  const [one = "", other = ""] = new Set(sessions.flatMap(({ turns }) => turns.map(({ speaker }) => speaker)));
  return questions.flatMap(({ id: question, kind, text }) => {
    const [named, instead] = text.includes(one) ? [one, other] : [other, one];
    if (kind === "unanswerable" || !text.includes(named) || text.includes(instead)) return [];
    return [{ id: `${question}${swapped}`, kind: "swapped", tag: id, text: text.replaceAll(named, instead), gold: [] }];
  });
}

const swapped = "~swapped";

export const isSwapped = (id: string): boolean => id.endsWith(swapped);

/** The id of the question as it was written, where it is asked of somebody else. */
export const writtenId = (id: string): string => id.replace(swapped, "");

/** Chats with an assistant, written for this project: each message a memory. */
export function assistant(folder: string, name: string): Body {
  interface Chat extends Conversation { sessions: { id: string; occurred_at: string; messages: { id: string; role: string; text: string }[] }[] }
  const { chats } = read<{ chats: Chat[] }>(join(folder, `${name}.json`));
  return {
    name,
    memories: chats.flatMap(({ id, sessions }) => sessions.flatMap((session) => session.messages.map((turn) => ({ key: turn.id, content: `${turn.role}: ${turn.text}`, namespace: `thread:${id}-${session.id}`, tags: [id], occurred_at: session.occurred_at })))),
    questions: chats.flatMap(questionsOf),
  };
}

const questionsOf = ({ id, questions }: Conversation): Body["questions"] => questions.map((question) => ({ ...question, tag: id, gold: question.kind === "unanswerable" ? [] : question.evidence }));

/** Written after the others: only relevance learns from them. Two of five questions are answered by none of the notes. */
export const laterTeams = ["harbor", "orchard", "foundry", "atelier"] as const;

export const allTeams = [...teamSets, ...laterTeams] as const;

/** Notes of teams, written for this project. */
export function team(folder: string, name: string): Body {
  interface Set { memories: { id: string; language: string; namespace?: string }[]; questions: { id: string; kind: string; text: string; gold: string[]; now?: string }[] }
  const { memories, questions } = read<Set>(join(folder, `team-${name}.json`));
  return {
    name,
    memories: memories.map(({ id, language: _language, namespace, key: label, ...memory }: Set["memories"][number] & { key?: string }) => ({ ...memory, key: label === undefined ? `${name}/${id}` : `${name}/${id}/${label}`, ...(namespace === undefined ? {} : { namespace: namespace }) })),
    questions: questions.map(({ id, gold, ...question }) => ({ ...question, id: `${name}/${id}`, gold: gold.map((memory) => `${name}/${memory}`) })),
  };
}

/** Memories of somebody who has just begun, and how often each number of them is drawn from a team. */
const [beginningSizes, draws] = [[1, 2, 3, 5, 8, 12, 18, 24], 3] as const;

/** A few notes of a team, each draw as a body of its own: the questions that they answer, and as many that they do not. */
export function beginnings(folder: string, name: string): Body[] {
  const whole = team(folder, name);
  const random = mulberry32(name.length + name.charCodeAt(0));
  const shuffled = <T>(all: readonly T[]): T[] => all.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at).map(({ one }) => one);
  return beginningSizes.flatMap((size) => Array.from({ length: draws }, (_, draw) => {
    const memories = shuffled(whole.memories).slice(0, size);
    const isHere = (gold: string): boolean => memories.some(({ key }) => key === gold || (key as string).startsWith(`${gold}/`));
    const answered = whole.questions.filter(({ gold }) => gold.length > 0 && gold.every(isHere));
    const others = shuffled(whole.questions.filter(({ gold }) => !gold.some(isHere))).slice(0, answered.length).map((question) => ({ ...question, gold: [], kind: "unanswerable" }));
    return { name: `${name}-first-${size}-${draw}`, memories, questions: [...answered, ...others] };
  }));
}

/** The notes of all teams among the talks of friends, as in the memory of somebody who has used one for months, and the questions of the teams. */
export function crowd(folder: string): Body {
  const teams = teamSets.map((name) => team(folder, name));
  const talks = ["friends", "friends2", "friends3"].map((name) => friends(folder, name));
  return { name: "crowd", memories: [...teams, ...talks].flatMap(({ memories }) => memories), questions: teams.flatMap(({ questions }) => questions) };
}

export const present = (folder: string, file: string): boolean => existsSync(join(folder, file));
