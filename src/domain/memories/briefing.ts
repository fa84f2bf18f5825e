import type { Memory } from "./memory.ts";
import { cutTo, estimateTokens } from "../search/tokens.ts";

/** What a session needs to go on: grouped as the Token Saver document names its keys. */
export interface BriefingInput {
  project: Memory[];
  current: Memory[];
  shared: Memory[];
}

/** Upper bound of the document: a briefing of 200–500 tokens. */
export const briefingTokens = 480;

interface Section {
  title: string;
  /** Key prefixes that belong here; the first section that claims a key has it. */
  prefixes: string[];
  /** Share of what room is left, so that one long section cannot crowd out those after it. */
  share: number;
}

/** In order of what one needs first: the task, where it stands, what is in the way, what comes next. */
const sections: Section[] = [
  { title: "Task", prefixes: ["current.task", "current.goal"], share: 0.35 },
  { title: "Progress", prefixes: ["current.progress", "current.status"], share: 0.3 },
  { title: "Blockers", prefixes: ["current.blockers"], share: 0.3 },
  { title: "Next steps", prefixes: ["current.next", "discovered.todos"], share: 0.35 },
  { title: "In work", prefixes: ["current."], share: 0.4 },
  { title: "Shared findings", prefixes: ["shared."], share: 0.4 },
  { title: "Discovered", prefixes: ["discovered."], share: 0.4 },
  { title: "Project", prefixes: ["project."], share: 0.6 },
  { title: "Also known", prefixes: [""], share: 1 },
];

/**
 * A summary in sections, most needed first, each within its share of the budget; newest entries first. `whole`: those whose
 * content it says to the end.
 */
export function briefing(input: BriefingInput, budget: number = briefingTokens): { text: string; tokens: number; whole: Memory[] } {
  const all = [...input.current, ...input.project, ...input.shared].filter(
    (memory, i, list) => list.findIndex(({ id }) => id === memory.id) === i,
  );
  const bySection = new Map<Section, Memory[]>();
  for (const memory of all) {
    const section = sections.find(({ prefixes }) => prefixes.some((prefix) => sectionKey(memory).startsWith(prefix))) as Section;
    bySection.set(section, [...(bySection.get(section) ?? []), memory]);
  }
  const parts: string[] = [];
  const whole: Memory[] = [];
  let left = budget;
  const present = sections.filter((section) => bySection.has(section));
  for (const [i, section] of present.entries()) {
    const room = Math.floor(i === present.length - 1 ? left : left * section.share);
    const { text, said } = sectionText(section.title, bySection.get(section) as Memory[], room);
    if (text === "") continue;
    whole.push(...said);
    parts.push(text);
    left -= estimateTokens(text) + 1;
  }
  const text = parts.length === 0 ? "Nothing is stored for this project yet." : parts.join("\n");
  return { text, tokens: estimateTokens(text), whole };
}

/** What the team holds together is a shared finding, whatever its key is called. */
const sectionKey = (memory: Memory): string =>
  memory.visibility === "private" || /^(?:current|project|discovered)\./.test(memory.key ?? "") ? (memory.key ?? "") : "shared.";

function sectionText(title: string, memories: Memory[], room: number): { text: string; said: Memory[] } {
  const newest = [...memories].sort((a, b) => b.importance - a.importance || b.updatedAt - a.updatedAt);
  let text = `${title}:`;
  const said: Memory[] = [];
  for (const memory of newest) {
    const lead = `${newest.length > 1 ? "\n- " : " "}${isTold(title, memory.key) ? "" : `${memory.key}: `}`;
    const entry = lead + sayValue(memory);
    const space = room - estimateTokens(text) - 1;
    if (estimateTokens(entry) <= space) {
      text += entry;
      if (memory.value === null) said.push(memory);
    } else {
      const cut = space > 15 ? cutTo(entry, space) : "";
      // Half a key opens nothing.
      if (cut.startsWith(lead)) text += cut;
      break;
    }
  }
  return { text: text === `${title}:` ? "" : text, said };
}

/** Whether the title says as much as the key, which is whole where it is shown: it opens the memory. */
const isTold = (title: string, key: string | null): boolean => {
  const [, ...name] = (key ?? "").split(".");
  return key === null || (name.length > 0 && title.toLowerCase().startsWith(name.join(".").replaceAll("_", " ")));
};

/** JSON values in words: `module: authentication; progress: 70; next_steps: Add tests, Update docs`. */
function sayValue(memory: Memory): string {
  const say = (value: unknown): string =>
    Array.isArray(value)
      ? value.map(say).join(", ")
      : value !== null && typeof value === "object"
        ? Object.entries(value).map(([name, item]) => `${name.replaceAll("_", " ")}: ${say(item)}`).join("; ")
        : String(value);
  return (memory.value === null ? memory.content : say(memory.value)).replaceAll(/\s+/g, " ").trim();
}
