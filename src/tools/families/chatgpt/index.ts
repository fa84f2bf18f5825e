import type { Family } from "../../define-family.ts";
import { renderError } from "../../errors.ts";
import { fetchMemory } from "./fetch.ts";
import { search } from "./search.ts";

/** The two tools that connectors of ChatGPT look for. */
export const chatgpt = {
  name: "chatgpt",
  tools: [search, fetchMemory],
  resources: [],
  renderError,
} as const satisfies Family;
