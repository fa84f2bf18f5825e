import { OmniMemoryError } from "../../client/client.ts";
import { projectOf } from "../project.ts";
import { type Commit, commitsOf, commitTag } from "./commits.ts";
import type { HookRun } from "./hooks.ts";

/** Mnemosyne document, post-commit.sh. */
const significant = /\b(?:architect\w*|implement\w*|refactor\w*|migrat\w*|design\w*|pattern\w*|decision\w*|decid\w*)/i;
/** What breaks what others built on it ("feat!:", https://www.conventionalcommits.org), or ends a danger. */
const momentous = /^\w+(?:\([^)]*\))?!:|\bBREAKING[ -]CHANGE\b|\b(?:security|vulnerabilit\w*|CVE-\d+-\d+)\b/im;
/** What its author means to write again: the commit that stays says it. */
const draft = /^(?:(?:fixup|squash|amend)! |wip\b)/i;
const manyFiles = 10;
const mostLinks = 3;

/** 6 for any commit, one more where its words say that it decides something, breaks something or is about security, and one more where it changes many files. */
export const importanceOf = ({ subject, body, files }: Pick<Commit, "subject" | "body" | "files">): number =>
  6 + Number([significant, momentous].some((words) => words.test(`${subject}\n${body}`))) + Number(files >= manyFiles);

/** Remembers the commits that a command made, with links to what they are about. */
export async function postCommit({ input, memoryIn, lookUpIn, now }: HookRun): Promise<undefined> {
  for (const commit of await commitsOf(input, now)) {
    if (draft.test(commit.subject)) continue;
    const project = await projectOf(commit.folder);
    const [memory, lookUp] = [memoryIn(project), lookUpIn(project)];
    const keyOf = (hash: string): string => `commit.${hash.slice(0, 12)}`;
    const key = keyOf(commit.hash);
    const filters = { namespace: memory.namespace };
    const [stored, amended, related] = await Promise.all([
      lookUp.call("omn_retrieve_memory", { key, filters, limit: 1 }),
      commit.amended === undefined ? undefined : lookUp.call("omn_retrieve_memory", { key: keyOf(commit.amended), filters, limit: 1 }),
      lookUp.call("omn_retrieve_memory", { query: commit.subject.slice(0, 400).toWellFormed() || "commit", filters, limit: mostLinks + 2 }),
    ]);
    if (idsIn(stored).length > 0) continue;
    const [replaced] = amended ? idsIn(amended) : [];
    const short = commit.hash.slice(0, 7);
    const links = [
      ...(replaced === undefined ? [] : [{ to: replaced, type: "supersedes", reason: `Amended as ${short}` }]),
      ...idsIn(related).filter((id) => id !== replaced).slice(0, mostLinks).map((to) => ({ to, type: "references", strength: 0.7, reason: `Git commit ${short}` })),
    ];
    await memory.call("omn_store_memory", {
      content: [`Git commit ${short}: ${commit.subject}`, `**Files changed**: ${commit.files}`, ...(commit.body === "" ? [] : [`**Details**: ${commit.body}`])].join("\n\n"),
      key,
      metadata: { tags: [commitTag, short], importance: importanceOf(commit) / 10, context: `Git commit ${short}` },
      // Two commits that say the same are two.
      allow_duplicate: true,
      idempotency_key: `commit:${commit.hash.slice(0, 40)}:${project}`,
      links,
    }).catch((error: unknown) => {
      // The same hook at work twice at once.
      if (!(error instanceof OmniMemoryError && error.code === "CONFLICT")) throw error;
    });
    // The history has it no longer.
    if (replaced !== undefined) await memory.call("omn_update_memory", { id: replaced, valid_to: new Date(now).toISOString() });
  }
  return undefined;
}

function idsIn(answer: Record<string, unknown>): string[] {
  const { memories } = answer;
  return Array.isArray(memories) ? memories.flatMap((one: unknown) => (typeof one === "object" && one !== null && "memory_id" in one && typeof one.memory_id === "string" ? [one.memory_id] : [])) : [];
}
