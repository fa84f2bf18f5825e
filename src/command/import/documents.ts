import * as z from "zod/mini";
import type { Turn } from "../../client/client.ts";
import { type Conversation, type Found, found, instant, type Note, words } from "./found.ts";
import { markdownNotes } from "./markdown.ts";

const text = z.string();
const filled = text.check(z.minLength(1));
const time = z.nullish(z.union([text, z.number()]));

/** What the reference server "memory" of MCP keeps (`memory.jsonl`), and answers (`read_graph`). */
const entity = z.object({ name: filled, entityType: z.optional(text), observations: z.array(text) });
const relation = z.object({ from: filled, to: filled, relationType: filled });
const graph = z.object({ entities: z.array(entity), relations: z._default(z.array(relation), []) });
const graphLine = z.discriminatedUnion("type", [z.extend(entity, { type: z.literal("entity") }), z.extend(relation, { type: z.literal("relation") })]);

/** What Mem0 answers when it is asked for all memories. */
const remembered = z.object({ memory: text, created_at: time, categories: z.nullish(z.array(text)) });
const mem0 = z.union([z.array(remembered), z.object({ results: z.array(remembered) }), z.object({ memories: z.array(remembered) })]);

/** `memories.json` of an export of Claude. */
const claudeMemory = z.object({ conversations_memory: z.nullish(text), project_memories: z.nullish(z.record(text, text)) });

/** `conversations.json` of an export of Claude. */
const claudeChat = z.object({
  uuid: filled,
  chat_messages: z.array(z.object({ sender: text, text: z.nullish(text), created_at: time, content: z.nullish(z.array(z.object({ type: text, text: z.nullish(text) }))) })),
});

/** `conversations.json` of an export of ChatGPT: a tree, of which the way from `current_node` back to its root was shown last. */
const node = z.object({
  parent: z.nullish(text),
  message: z.nullish(
    z.object({ author: z.object({ role: text }), create_time: time, content: z.nullish(z.object({ parts: z.nullish(z.array(z.unknown())) })), metadata: z.nullish(z.object({ is_visually_hidden_from_conversation: z.nullish(z.boolean()) })) }),
  ),
});
const chatgptChat = z.object({ id: z.nullish(text), conversation_id: z.nullish(text), create_time: time, current_node: z.nullish(text), mapping: z.record(text, node) });

const record = z.looseObject({ content: filled });

/** What a JSON document of another tool says; undefined where it is none that is known. */
export function fromJson(document: unknown): Found | undefined {
  const one = <Schema extends z.ZodMiniType>(schema: Schema): z.output<Schema> | undefined => schema.safeParse(document).data;
  const list = <Schema extends z.ZodMiniType>(schema: Schema): z.output<Schema>[] | undefined => {
    const given = one(z.array(schema));
    return given && given.length > 0 ? given : undefined;
  };
  const stated = one(graph);
  if (stated) return found("knowledge graph", { notes: graphNotes(stated) });
  const all = one(mem0);
  if (all && !(Array.isArray(all) && all.length === 0)) return found("Mem0", { notes: (Array.isArray(all) ? all : "results" in all ? all.results : all.memories).map(mem0Note) });
  const chatgpt = list(chatgptChat);
  if (chatgpt) return found("ChatGPT", { conversations: chatgpt.map(chatgptConversation) });
  const claude = list(claudeChat);
  if (claude) return found("Claude", { conversations: claude.map(claudeConversation) });
  const records = list(record);
  if (records) return found("memories", { records });
  // Each of its entries may be missing: the last to be tried.
  const memories = (list(claudeMemory) ?? [one(claudeMemory) ?? {}]).flatMap(({ conversations_memory: own, project_memories: projects }) => [own ?? "", ...Object.values(projects ?? {})]);
  return memories.every((memory) => memory === "") ? undefined : found("Claude's memory", { notes: memories.flatMap((memory) => markdownNotes(memory)) });
}

/** The same of lines of JSON. */
export function fromJsonLines(lines: unknown[]): Found | undefined {
  const stated = z.array(graphLine).safeParse(lines).data;
  if (stated) {
    const entities = stated.flatMap((line) => (line.type === "entity" ? [line] : []));
    return found("knowledge graph", { notes: graphNotes({ entities, relations: stated.flatMap((line) => (line.type === "relation" ? [line] : [])) }) });
  }
  return fromJson(lines);
}

const graphNotes = ({ entities, relations }: z.output<typeof graph>): Note[] => [
  ...entities.flatMap(({ name, entityType, observations }) => observations.filter((observed) => observed.trim() !== "").map((observed): Note => ({ content: `${name}: ${observed}`, ...(entityType ? { tags: [entityType] } : {}) }))),
  ...relations.map(({ from, to, relationType }): Note => ({ content: [from, words(relationType), to].join(" ") })),
];

function mem0Note({ memory, created_at: at, categories }: z.output<typeof remembered>): Note {
  const when = instant(at);
  return { content: memory, ...(categories && categories.length > 0 ? { tags: categories } : {}), ...(when === undefined ? {} : { occurred_at: when }) };
}

const turn = (role: Turn["role"], content: string, at: z.output<typeof time>): Turn[] => {
  const timestamp = instant(at);
  return content.trim() === "" ? [] : [{ role, content, ...(timestamp === undefined ? {} : { timestamp }) }];
};

function claudeConversation({ uuid, chat_messages: messages }: z.output<typeof claudeChat>): Conversation {
  const textIn = ({ text: whole, content }: (typeof messages)[number]): string => whole || (content ?? []).flatMap((part) => (part.type === "text" ? (part.text ?? []) : [])).join("\n");
  return { id: uuid, turns: messages.flatMap((message) => turn(message.sender === "human" ? "user" : "assistant", textIn(message), message.created_at)) };
}

function chatgptConversation({ id, conversation_id: otherId, create_time: began, current_node: last, mapping }: z.output<typeof chatgptChat>): Conversation {
  const shown: z.output<typeof node>[] = [];
  const visited = new Set<string>();
  const at = (name: string): z.output<typeof node> | undefined => (Object.hasOwn(mapping, name) && !visited.has(name) ? mapping[name] : undefined);
  for (let name = last ?? Object.keys(mapping).at(-1) ?? "", current = at(name); current; current = at(name)) {
    visited.add(name);
    shown.unshift(current);
    name = current.parent ?? "";
  }
  const turns = shown.flatMap(({ message }) => {
    const role = message?.author.role;
    if (!message || (role !== "user" && role !== "assistant") || message.metadata?.is_visually_hidden_from_conversation) return [];
    return turn(role, (message.content?.parts ?? []).filter((part) => typeof part === "string").join("\n"), message.create_time);
  });
  return { id: id ?? otherId ?? `chatgpt-${instant(began) ?? "conversation"}`, turns };
}
