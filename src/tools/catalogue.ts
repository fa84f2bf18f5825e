import type { Family } from "./define-family.ts";
import type { Prompt } from "./define-prompt.ts";
import type { Resource } from "./define-resource.ts";
import type { Tool } from "./define-tool.ts";
import { chatgpt } from "./families/chatgpt/index.ts";
import { kom } from "./families/kom/index.ts";
import { memoryServer } from "./families/memory/index.ts";
import { mnemosyne } from "./families/mnemosyne/index.ts";
import { omn } from "./families/omn/index.ts";
import { tokenSaver } from "./families/token-saver/index.ts";

/** In the order in which lists show them. */
export const families = [omn, tokenSaver, mnemosyne, memoryServer, kom, chatgpt] as const satisfies readonly Family[];
export type FamilyName = (typeof families)[number]["name"];

export const catalogue: readonly Tool[] = families.flatMap(({ tools }): readonly Tool[] => tools);
export const resources: readonly Resource[] = families.flatMap((family): readonly Resource[] => family.resources);
export const prompts: readonly Prompt[] = families.flatMap((family: Family): readonly Prompt[] => family.prompts ?? []);

interface Found {
  tool: Tool;
  family: Family;
}

const byName = new Map(
  families.flatMap((family: Family) => family.tools.flatMap((tool) => [tool.name, ...tool.aliases].map((name): [string, Found] => [name, { tool, family }]))),
);

/** By name or alias, with the family it belongs to. Lists use names that every model API accepts; callers may write a dot for an underscore. */
export const findInFamily = (name: string): Found | undefined => byName.get(name) ?? byName.get(name.replaceAll(".", "_"));

export const findTool = (name: string): Tool | undefined => findInFamily(name)?.tool;
