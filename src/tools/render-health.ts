import { aside, type Framed, joined, named, quoted, say } from "../domain/frame.ts";
import { type Health, keptOf } from "../domain/memories/health.ts";
import { type Examined, type Found, oftenRead } from "../domain/memories/health-findings.ts";
import type { Fix } from "../domain/memories/repair.ts";
import { preview } from "../domain/recall/presentation/excerpt.ts";
import { handleOf, idBeside, isoDay } from "./render.ts";
import type { Rendered } from "./render-revert.ts";

/** A call that repairs something, as a client can make it. */
interface Call {
  tool: string;
  arguments: Record<string, unknown>;
}

const fix = (which: Fix): Call => ({ tool: "omn_forget_memory", arguments: { fix: which } });
const forget = (id: string): Call => ({ tool: "omn_forget_memory", arguments: { id } });
const nameOf = ({ id, key }: { id: string; key: string | null }) => ({ memory_id: id, ...(key === null ? {} : { key }) });
const line = (memory: Examined, ...notes: (Framed | string)[]): Framed => say`- ${handleOf(memory)}${aside(idBeside(memory), isoDay(memory.updatedAt), ...notes)}: ${preview(memory.beginning, 80)}`;
/** `omn_forget_memory {"fix":"junk"}` */
const callText = ({ tool, arguments: args }: Call): string => `${tool} ${JSON.stringify(args)}`;

/** One kind of finding: what it is called, why it is named, and how one call repairs it. */
interface SectionForm {
  total: number;
  /** Ends before the colon. */
  heading: Framed;
  lines: Framed[];
  field: Record<string, unknown>;
}

function section<T>(name: string, { total, items }: Found<T>, heading: Framed, form: (item: T) => { fields: unknown; line: Framed }): SectionForm {
  const shown = items.map(form);
  const more = total - shown.length;
  return {
    total,
    heading,
    lines: [...shown.map((one) => one.line), ...(more > 0 ? [say`… and ${more} more`] : [])],
    field: { [name]: shown.map(({ fields }) => fields) },
  };
}

/** The older of two, which the newer one probably replaces. */
const olderOf = (first: Examined, second: Examined): Examined => (first.updatedAt <= second.updatedAt ? first : second);

function sectionsOf(card: Health): Record<string, SectionForm> {
  const { quarantined, duplicates, stale, junk, contradicted, superseded, orphaned, citations } = card;
  return {
    quarantined: section("quarantined", quarantined, say`in quarantine, which nobody finds. The person releases or discards them outside of this conversation, on the server's page of memories`, ({ id, createdAt, reasons }) => ({
      fields: { memory_id: id, reasons, held_at: new Date(createdAt).toISOString() },
      line: say`- id ${id}${aside(isoDay(createdAt))}: ${named(reasons.join(", "))}`,
    })),
    duplicates: section("duplicates", duplicates, say`said more than once in one place. ${callText(fix("duplicates"))} keeps one of each`, (same) => ({
      fields: same.map(({ id }) => id),
      line: say`- ${joined(same.slice(0, 5).map(({ id }) => say`${id}`), ", ")}${same.length > 5 ? say` and ${same.length - 5} more` : say``}${aside(say`keeps ${keptOf(same).id}`)}: ${preview((same[0] as Examined).beginning, 80)}`,
    })),
    junk: section("junk", junk, say`junk. ${callText(fix("junk"))} archives it`, ({ memory, reason }) => ({ fields: { ...nameOf(memory), reason }, line: line(memory, reason) })),
    stale: section("stale", stale, say`neither read nor changed for half a year. ${callText(fix("stale"))} archives what nobody needs`, (memory) => ({
      fields: { ...nameOf(memory), updated_at: new Date(memory.updatedAt).toISOString() },
      line: line(memory),
    })),
    contradicted: section("contradicted", contradicted, say`${contradicted.total === 1 ? "pair contradicts" : "pairs contradict"} each other; forget the one that does not hold`, ({ first, second, reason }) => {
      const older = olderOf(first, second);
      return {
        fields: { memory_ids: [first.id, second.id], ...(reason === "" ? {} : { reason }), call: forget(older.id) },
        line: say`${line(first)}\n  against ${handleOf(second)}${aside(idBeside(second), isoDay(second.updatedAt))}: ${preview(second.beginning, 80)}${reason === "" ? say`` : say` (${quoted(preview(reason, 80))})`}\n  If the older one no longer holds: ${callText(forget(older.id))}`,
      };
    }),
    superseded: section("superseded", superseded, say`superseded and still said to hold. ${callText(fix("superseded"))} archives them`, ({ memory, by }) => ({
      fields: { ...nameOf(memory), superseded_by: by.id },
      line: line(memory, say`superseded by ${handleOf(by)}`),
    })),
    orphaned: section("orphaned", orphaned, say`${orphaned.total === 1 ? "leads" : "lead"} to what is archived`, ({ memory, type, origin, target }) => {
      const isUnlinked = type !== "superseded by" && origin === "explicit";
      const call: Call = { tool: "omn_update_memory", arguments: isUnlinked ? { id: memory.id, unlink: [{ to: target.id, type }] } : { id: target.id, archived: false } };
      return {
        fields: { ...nameOf(memory), type, to: target.id, call },
        line: line(memory, say`${type} ${handleOf(target)}`, `${isUnlinked ? "unlink" : "restore it"}: ${callText(call)}`),
      };
    }),
    ...(citations
      ? {
          citations: section("citations", citations, say`${citations.total === 1 ? "cites" : "cite"} files that have changed (drifted) or are gone (orphaned); check what is said, then update content and citations`, ({ memory, files }) => ({
            fields: { ...nameOf(memory), files },
            line: line(memory, ...files.slice(0, 5).map(({ path, state }) => say`${state} ${named(path)}`)),
          })),
        }
      : {}),
  };
}

interface Suggestion {
  action: "merge" | "promote" | "forget" | "remember";
  /** In words. */
  reason: string;
  count: number;
  memory_ids?: string[];
  /** Of what was said in a conversation. */
  text?: string;
  session_id?: string;
  turn?: number;
  call: Call;
}

const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** What may be made of the memories, each with its reason and the call that does it. Nothing is done unasked. */
function suggestionsOf({ duplicates, junk, stale, superseded, unshared, twins, worthRemembering }: Health): { suggestions: Suggestion[]; lines: Framed[] } {
  const whole: [Suggestion["action"], Fix, number, string][] = [
    ["merge", "duplicates", duplicates.total, `${plural(duplicates.total, "text is", "texts are")} stored more than once in one place`],
    ["forget", "junk", junk.total, `${plural(junk.total, "memory", "memories")} nobody will look for`],
    ["forget", "superseded", superseded.total, `${plural(superseded.total, "memory was", "memories were")} superseded`],
    ["forget", "stale", stale.total, `${plural(stale.total, "memory was", "memories were")} neither read nor changed for half a year`],
  ];
  const ofSections = whole.flatMap(([action, which, count, reason]): Suggestion[] => (count === 0 ? [] : [{ action, reason, count, call: fix(which) }]));
  const merged = twins.items.map(({ own, shared }) => ({
    suggestion: { action: "merge" as const, reason: "yours and the team's have the same key; say in the team's what only yours says, then forget yours", count: 2, memory_ids: [own.id, shared.id], call: forget(own.id) },
    line: say`- merge ${handleOf(own)}${aside(`id ${own.id}`)} into the team's${aside(`id ${shared.id}`)}: both have this key; say in the team's what only yours says, then ${callText(forget(own.id))}`,
  }));
  const promoted = unshared.items.map((memory) => {
    const reason = memory.accessCount >= oftenRead ? `read ${memory.accessCount} times, and others share memories of this project` : `a ${memory.type === "constraint" ? "constraint" : "decision"} that others who share memories of this project do not see`;
    const call = { tool: "omn_update_memory", arguments: { id: memory.id, metadata: { scope: "shared" } } };
    return {
      suggestion: { action: "promote" as const, reason, count: 1, memory_ids: [memory.id], call },
      line: say`- promote ${handleOf(memory)}${aside(idBeside(memory), named(memory.namespace))}: ${reason}. ${callText(call)}`,
    };
  });
  const remembered = worthRemembering.map(({ text, kind, sessionId, namespace, turn }) => {
    const reason = `${kind} said in a conversation, which no memory says`;
    const call = { tool: "omn_store_memory", arguments: { content: text, ...(namespace === undefined ? {} : { namespace }) } };
    return {
      suggestion: { action: "remember" as const, reason, count: 1, text, session_id: sessionId, turn, call },
      line: say`- remember${aside(`${sessionId}, turn ${turn}`)}: ${reason}. ${callText(call)}`,
    };
  });
  const more = twins.total - twins.items.length + unshared.total - unshared.items.length;
  return {
    suggestions: [...ofSections, ...merged.map((one) => one.suggestion), ...promoted.map((one) => one.suggestion), ...remembered.map((one) => one.suggestion)],
    lines: [...merged.map((one) => one.line), ...promoted.map((one) => one.line), ...(more > 0 ? [say`… and ${more} more`] : []), ...remembered.map((one) => one.line)],
  };
}

const undo = "A fix previews first, and omn_revert with undo gives back what its run archived.";

/** The report card, for programs and for a model. What is in quarantine is named and not shown: it may be aimed at the model that reads this. */
export function renderHealth(card: Health): Rendered {
  const sections = sectionsOf(card);
  const present = Object.entries(sections).filter(([, { total }]) => total > 0);
  const { suggestions, lines } = suggestionsOf(card);
  const { citedFiles, citations, isPartial } = card;
  const hasFix = suggestions.some(({ call }) => "fix" in call.arguments);
  const text = [
    ...present.flatMap(([, { total, heading, lines: found }]) => [say`${total} ${heading}:`, ...found]),
    ...(lines.length > 0 ? [say`Suggestions:`, ...lines] : []),
    ...(present.length + lines.length === 0 ? [say`Nothing to repair: no quarantine, no duplicates, no junk, nothing stale, contradicted or orphaned.`] : []),
    ...(citations && citations.fresh > 0 ? [say`${plural(citations.fresh, "memory cites", "memories cite")} files that are as they were.`] : []),
    ...(citedFiles.total > 0 ? [say`${plural(citedFiles.total, "file is", "files are")} cited: current_hashes {path: hash} says which have changed.`] : []),
    ...(hasFix ? [say`${undo}`] : []),
    ...(isPartial ? [say`There is more than this looks at in one go: the newest come first, for what is stale the oldest.`] : []),
  ];
  return {
    structured: {
      counts: Object.fromEntries([...Object.entries(sections).map(([name, { total }]) => [name, total] as const), ["suggestions", suggestions.length]]),
      ...Object.assign({}, ...Object.values(sections).map(({ field }) => field)),
      suggestions,
      ...(citations ? { fresh: citations.fresh } : {}),
      ...(citedFiles.total > 0 ? { cited_files: citedFiles.items } : {}),
      ...(isPartial ? { partial: true } : {}),
    },
    text: joined(text),
  };
}
