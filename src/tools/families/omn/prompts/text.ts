import { block, type Framed, joined, say } from "../../../../domain/frame.ts";
import { recallForTask } from "../../../../domain/recall/recall-for-task.ts";
import type { TaskSubject } from "../../../../domain/recall/question-about.ts";
import type { ToolContext } from "../../../define-tool.ts";
import { recallRendering, renderRecall } from "../../../render-recall.ts";

/** Of the recalled context, in tokens: a page beside the task, which the client's own reading goes on from. */
export const contextTokens = 1_200;

const asText = { structured: false, mayWiden: false };

/** What is known of a task, in the one frame. */
export async function contextOf(ctx: ToolContext, subject: TaskSubject & { key?: string | undefined }): Promise<Framed> {
  const { project } = ctx;
  const outcome = await recallForTask(ctx, { ...subject, project, form: "omn text", rendering: recallRendering(asText), maxTokens: contextTokens });
  const text = outcome.items.length === 0 && outcome.degraded.length === 0 ? say`Nothing is stored about this yet.` : renderRecall(outcome, asText, 0).text;
  ctx.reading?.showed(text.toString());
  return text;
}

/** A part of a prompt that the person gave, under its title; nothing where they gave none. */
export const part = (title: string, text: string | undefined): Framed[] => (text === undefined ? [] : [say`\n${title}:\n${fenced(text)}`]);

/** A line for a short argument. */
export const line = (title: string, text: string | undefined): Framed[] => (text === undefined ? [] : [say`${title}: ${text}`]);

/** Between fences that are longer than any in the text, so that it cannot end them. */
export function fenced(text: string): Framed {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return say`${fence}\n${block(text)}\n${fence}`;
}

const numbered = (points: readonly string[]): Framed => joined(points.map((point, i) => say`${i + 1}. ${point}`));

/** The whole message: what it is about, what to do, and what is known. */
export const message = (about: readonly Framed[], task: Framed, points: readonly string[], context: Framed): Framed =>
  joined([...about, say``, say`${task}`, numbered(points), say``, say`Context from project:`, context]);
