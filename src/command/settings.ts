import * as z from "zod/mini";
import { type HookName, hooks } from "./hooks/hooks.ts";
import { CommandFailure } from "./server.ts";

/**
 * What stands in a settings file of Claude Code for each hook. `if` spares the start of a process for commands that are not git's
 * (2.1.89 and newer; older ones start it for every command). `async` lets the work go on meanwhile.
 */
const places: Record<HookName, { event: string; matcher?: string; more: Record<string, unknown> }> = {
  "session-start": { event: "SessionStart", matcher: "startup|resume|clear|compact", more: { timeout: 10 } },
  "post-commit": { event: "PostToolUse", matcher: "Bash", more: { if: "Bash(git *)", timeout: 60, async: true } },
  "pre-compact": { event: "PreCompact", matcher: "manual|auto", more: { timeout: 60, async: true } },
  stop: { event: "Stop", more: { timeout: 60, async: true } },
};

type Settings = Record<string, unknown>;
type Group = Record<string, unknown> & { hooks: unknown[] };

const form = z.looseObject({ hooks: z.optional(z.record(z.string(), z.array(z.looseObject({ hooks: z.array(z.unknown()) })))) });

/** With which editors of Windows begin a file in UTF-8. */
const mark = /^\uFEFF/;

/** The settings of a file, as they stand: what is not ours is carried along untouched. @throws CommandFailure */
export function settingsIn(text: string, path: string): Settings {
  try {
    const json = text.replace(mark, "");
    const given: unknown = JSON.parse(json.trim() === "" ? "{}" : json);
    form.parse(given);
    return given as Settings;
  } catch (error) {
    const why = error instanceof SyntaxError ? ` (no JSON: ${error.message})` : "";
    throw new CommandFailure(`${path} is not a settings file of Claude Code${why}; nothing was changed.`);
  }
}

/** With the hooks of this command, in the place of those of an earlier installation. */
export function withHooks(settings: Settings, commandOf: (hook: HookName) => string): Settings {
  const { hooks: events = {}, ...rest } = withoutHooks(settings) as { hooks?: Record<string, Group[]> };
  const added = { ...events };
  for (const name of Object.keys(hooks) as HookName[]) {
    const { event, matcher, more } = places[name];
    added[event] = [...(added[event] ?? []), { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: "command", command: commandOf(name), ...more }] }];
  }
  return inOrderOf(settings, { ...rest, hooks: inOrderOf((settings["hooks"] ?? {}) as Settings, added) });
}

/** Without them, and without the lists that only they were in. */
export function withoutHooks(settings: Settings): Settings {
  const { hooks: events, ...rest } = settings as { hooks?: Record<string, Group[]> };
  if (events === undefined) return settings;
  const kept = Object.entries(events).flatMap(([event, groups]) => {
    const others = groups.flatMap((group) => {
      const left = group.hooks.filter((hook) => !isOurs(hook));
      if (left.length === group.hooks.length) return [group];
      return left.length === 0 ? [] : [{ ...group, hooks: left }];
    });
    return others.length === 0 && groups.length > 0 ? [] : [[event, others] as const];
  });
  if (kept.length === 0 && Object.keys(events).length > 0) return rest;
  return inOrderOf(settings, { ...rest, hooks: Object.fromEntries(kept) });
}

const ours = new RegExp(`omnimemory\\.js["'] hook (?:${Object.keys(hooks).join("|")})\\b`);
const isOurs = (hook: unknown): boolean => typeof hook === "object" && hook !== null && "command" in hook && typeof hook.command === "string" && ours.test(hook.command);

/** Names stand where they stood. */
function inOrderOf(before: Settings, after: Settings): Settings {
  const names = [...Object.keys(before).filter((name) => name in after), ...Object.keys(after).filter((name) => !(name in before))];
  return Object.fromEntries(names.map((name) => [name, after[name]]));
}

/** As the file was written: its mark, its indentation, the form of its lines' ends, and whether it ends with one. */
export function indented(settings: Settings, before: string): string {
  const indent = /^\uFEFF?\{\s*\n([ \t]+)"/.exec(before)?.[1] ?? 2;
  const text = JSON.stringify(settings, undefined, indent) + (before === "" || before.endsWith("\n") ? "\n" : "");
  return (mark.exec(before)?.[0] ?? "") + (before.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text);
}
