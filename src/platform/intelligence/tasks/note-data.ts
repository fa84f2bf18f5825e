import { cutTo } from "../../../domain/text/token-count.ts";
import type { Note } from "../../../domain/intelligence/intelligence.ts";

/** A note as a model sees it; its number stands for it, so that an answer can name no other memory. */
export function noteData({ content, context, key, summary, type, tags, at }: Note, options: { number?: number; maxTokens?: number } = {}): Record<string, unknown> {
  const { number, maxTokens } = options;
  return {
    ...(number === undefined ? {} : { number }),
    content: maxTokens === undefined ? content : cutTo(content, maxTokens),
    ...(summary ? { summary } : {}),
    ...(context ? { context } : {}),
    ...(key ? { key } : {}),
    ...(type ? { type } : {}),
    ...(tags?.length ? { tags } : {}),
    ...(at === undefined ? {} : { at: new Date(at).toISOString() }),
  };
}

/** All that a note says, for comparing answers with it. */
export const noteTexts = ({ content, context, key, summary, type, tags }: Note): string[] => [content, context, key, summary, type, ...(tags ?? [])].filter((text) => typeof text === "string");
