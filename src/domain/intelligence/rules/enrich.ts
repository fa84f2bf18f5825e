import type { Enrichment } from "../answers.ts";
import type { Note } from "../intelligence.ts";
import { importanceOf } from "./importance.ts";
import { keywordsOf } from "./keywords.ts";
import { leadOf } from "./lead.ts";
import { topicsOf } from "./topics.ts";
import { typeOf } from "./type.ts";

/**
 * How rules enrich a note (Mnemosyne document, Enrichment Pipeline): at once, always the same, and nothing leaves the server.
 * A summary is the note's own sentences, not other words for them.
 */
export function enrichByRules(note: Note): Enrichment {
  const { type, confidence, isClaimed } = typeOf(note);
  const keywords = keywordsOf(note.content);
  return { summary: leadOf(note.content, keywords), keywords, tags: topicsOf(note.content), type, importance: importanceOf(note.content, isClaimed ? type : undefined), confidence };
}
