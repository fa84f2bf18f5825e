import type { Child } from "hono/jsx";
import type { AuthorOf } from "../../../domain/memories/authorship.ts";
import { limits } from "../../../domain/memories/fields.ts";
import { canonical, type Memory, type MemoryState, visibilities, type Visibility } from "../../../domain/memories/memory.ts";
import type { HistoryOutcome } from "../../../domain/memories/history.ts";
import { changesBeside } from "../../../domain/memories/portable.ts";
import { mayChangeVisibility, mayErase } from "../../../domain/memories/policy.ts";
import { screen } from "../../../domain/guard/screen.ts";
import { preview } from "../../../domain/recall/presentation/excerpt.ts";
import { mayWrite, type Principal } from "../../../domain/tenancy/principal.ts";
import { audience } from "../../../tools/sharing-question.ts";
import { Act } from "./act.tsx";
import { Instant } from "./instant.tsx";

const seenBy = (visibility: Visibility): string => `seen by ${visibility === "private" ? "you alone" : audience[visibility]}`;
const shownLength = 160;
/** In characters: of a text that is not folded. */
const mostUnfolded = 500;
/** In characters. */
export const mostAsked = 1_000;
const mostKeptShown = 20;
/** In characters, of a value on either side. */
const mostOfChange = 60;

/** `laterId`: of a memory that probably says what holds now. */
type Listed = Memory & { laterId?: string | undefined };

/** `target`: the memory that it would change. */
export interface Kept {
  memory: Memory;
  target: Memory | undefined;
}

/** What is listed, or was found. */
export interface Shown {
  memories: readonly Listed[];
  /** Cursor of the next page. */
  nextCursor?: string | undefined;
  /** Nothing found is certain. */
  uncertain?: boolean | undefined;
  /** More was found, which is less likely. */
  lessLikely?: boolean | undefined;
}

interface MemoriesProps extends Shown {
  principal: Principal;
  team: string;
  q: string | undefined;
  archived: string | undefined;
  /** The cursor that the page begins after. */
  before: string | undefined;
  /** What the write guard keeps back of the person's own. */
  kept: readonly Kept[];
  /** How many proposals wait, of those that the person is shown. */
  waiting: number;
  /** A memory was erased just now. */
  erased: boolean;
}

/** What a team's memory knows, as far as the person may see it. Memories are in any language, so each text says by itself where it begins. */
export const MemoriesPage = ({ principal: { teamId }, team, q, archived, before, kept, waiting, erased, memories, nextCursor, uncertain, lessLikely }: MemoriesProps) => {
  const here = `/memories/${teamId}`;
  return (
    <>
      <h1>Memories of {team}</h1>
      {erased && <p role="status">It is erased for good.</p>}
      <form role="search" action={here}>
        <label for="q">Search by words or meaning</label>
        <div class="row">
          <input type="search" id="q" name="q" value={q} maxlength={mostAsked} dir="auto" />
          <button type="submit">Search</button>
        </div>
      </form>
      <p class="row">
        {q || archived || before ? <a href={here}>All memories</a> : <a href={`${here}?archived=yes`}>Archived</a>}
        <a href={`${here}/proposals`}>Proposals{waiting > 0 && ` (${waiting} waiting)`}</a>
        <a href={`/teams/${teamId}`}>Members</a>
        <a href="/">Your account</a>
      </p>
      {kept.length > 0 && (
        <>
          <h2 id="kept">Kept back</h2>
          <p>No client sees these until you release them.</p>
          <ul aria-labelledby="kept" class="cards">
            {kept.slice(0, mostKeptShown).map(({ memory, target }) => (
              <li>
                <KeptText of={memory} />
                {target && (
                  <p dir="auto">
                    Would change <a href={`${here}/${target.id}`}>{target.key ?? "a memory"}</a> that says now: {shortOf(target)}
                  </p>
                )}
                <p class="aside">
                  The write guard found {memory.quarantine?.reasons.join(", ")}, <Instant at={memory.createdAt} />
                </p>
                <div class="row">
                  <Act action={`${here}/${memory.id}/${target ? `release?version=${target.version}&target=${target.id}` : "release"}`} label="Release as it was said" />
                  <details>
                    <summary>Discard it</summary>
                    <Act action={`${here}/${memory.id}/discard`} label="Discard for good" />
                  </details>
                </div>
              </li>
            ))}
          </ul>
          {kept.length > mostKeptShown && <p>{kept.length - mostKeptShown} more follow once these are decided.</p>}
        </>
      )}
      <h2 id="list">{q ? "Found, the best first" : archived ? "Archived" : "Newest first"}</h2>
      {uncertain && memories.length > 0 && <p>Nothing is certain; these may be meant.</p>}
      {memories.length === 0 ? (
        <p>
          {q ? "Nothing. Try other words." : before ? "Nothing older." : archived ? "Nothing is archived." : (
            <>
              None yet. What your clients store shows up here. <a href="/#connections">Add a client</a>
            </>
          )}
        </p>
      ) : (
        <ul aria-labelledby="list" class="cards">
          {memories.map((memory) => (
            <li>
              <p dir="auto">
                <a href={`${here}/${memory.id}`}>{nameOf(memory)}</a>
              </p>
              {memory.key !== null && <p dir="auto">{shortOf(memory)}</p>}
              <Past of={memory} />
              <p class="aside">
                {memory.namespace}, {seenBy(memory.visibility)}, <Instant at={memory.updatedAt} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {lessLikely && (
        <p>
          <a href={`${here}?all=yes&q=${encodeURIComponent(q ?? "")}`}>Show less likely ones</a>
        </p>
      )}
      {nextCursor !== undefined && (
        <p>
          <a href={`${here}?before=${nextCursor}${archived ? "&archived=yes" : ""}`}>Older</a>
        </p>
      )}
    </>
  );
};

interface MemoryProps {
  principal: Principal;
  memory: Memory;
  /** Newest first. */
  entries: HistoryOutcome["entries"];
  authorOf: AuthorOf;
  notice: Child;
  /** What became of the last change, where nothing else has to be known. */
  done: Child;
  draft: string | undefined;
  /** The oldest version shown, when there are older ones. */
  oldest: number | undefined;
  /** The version that those shown are older than. */
  older: number | undefined;
}

/** One memory: to read, to change as long as it is not archived, and with what it said before. */
export const MemoryPage = ({ principal, memory, entries, oldest, older, authorOf, notice, done, draft }: MemoryProps) => {
  const here = `/memories/${principal.teamId}`;
  const at = `${here}/${memory.id}`;
  const isArchived = memory.archivedAt !== null;
  const isEditable = mayWrite(principal) && !isArchived;
  const others = visibilities.filter((to) => to !== memory.visibility && mayChangeVisibility(principal, memory, to));
  const base = <input type="hidden" name="version" value={String(memory.version)} />;
  return (
    <>
      <h1 dir="auto">{memory.key ?? "Memory"}</h1>
      {notice !== undefined && (
        <p class="warning" role="alert">
          {notice}
        </p>
      )}
      {done && <p role="status">{done}</p>}
      {isArchived && draft === undefined && <p class="warning">It is archived: no client finds it.</p>}
      <Past of={memory} whole />
      {isEditable || draft !== undefined ? (
        <Edit at={at} version={memory.version} text={draft ?? memory.content} restores={isArchived} />
      ) : (
        <Text of={memory.content} />
      )}
      <p class="aside">
        {[memory.namespace, seenBy(memory.visibility), memory.type.replaceAll("_", " "), ...memory.tags].join(", ")}; stored <Instant at={memory.createdAt} />
      </p>
      <div class="row">
        {(isEditable || (mayWrite(principal) && draft === undefined)) && <Act action={`${at}/${isArchived ? "restore" : "archive"}`} label={isArchived ? "Restore" : "Archive"} />}
        {isEditable && memory.expiresAt !== null && <Act action={`${at}/keep`} label="Let it never expire" />}
      </div>
      {isEditable && others.length > 0 && (
        <details>
          <summary>Change who sees it</summary>
          <div class="row">
            {others.map((visibility) => (
              <Act action={`${at}/${visibility}`} label={`Let it be ${seenBy(visibility)}`} />
            ))}
          </div>
        </details>
      )}
      {mayWrite(principal) && draft === undefined && mayErase(principal, memory) && (
        <details>
          <summary>Erase it</summary>
          <p>Every version goes, also what is kept back of it, and nothing brings it back. What is archived can be restored.</p>
          <Act action={`${at}/erase?version=${memory.version}`} label="Erase for good" />
        </details>
      )}
      <p>
        <a href={here}>All memories</a>
      </p>
      <h2 id="history">History</h2>
      {older !== undefined && (
        <p>
          <a href={at}>Newest versions</a>
        </p>
      )}
      {entries.length === 0 && <p>What it said before is not shown.</p>}
      <ul aria-labelledby="history" class="cards">
        {entries.map(({ version: { version, at: when, tool, action, actorId, state }, before }) => (
          <li>
            <LongText of={state.content} />
            <p class="aside">
              Version {version}: {pastOf(action)} by {authorOf({ updatedBy: actorId }) ?? "you"} with {tool}, <Instant at={when} />
            </p>
            {before && <Changes from={before.state} to={state} />}
            {isEditable && (state.content !== memory.content || canonical(state.value) !== canonical(memory.value)) && (
              <form method="post" action={`${at}/say-again`}>
                {base}
                <input type="hidden" name="said" value={String(version)} />
                <button type="submit" aria-label={`Make it say again what version ${version} said`}>
                  Say this again
                </button>
              </form>
            )}
          </li>
        ))}
      </ul>
      {oldest !== undefined && (
        <p>
          <a href={`${at}?older=${oldest}#history`}>Older versions</a>
        </p>
      )}
    </>
  );
};

/** What a version changed beside its text, such as who sees it. */
const Changes = ({ from, to }: { from: MemoryState; to: MemoryState }) => {
  const said = (value: unknown): string => preview(worded(value), mostOfChange) || "nothing";
  const changed = Object.entries(changesBeside(from, to)).map(([field, { before, after }]) => `${field.replaceAll("_", " ")}: ${said(before)} → ${said(after)}`);
  return changed.length > 0 && <p class="aside" dir="auto">{changed.join("; ")}</p>;
};

/** A secret is read by who opens it. */
export const secretStart = "A secret: open it to read it.";
const shortOf = ({ redaction, content }: Memory): string => (redaction === "redacted" ? secretStart : preview(content, shownLength));
export const nameOf = (memory: Memory): string => memory.key ?? shortOf(memory);
const pastOf = (action: string): string => (action === "undo" ? "undone" : action.replace(/e?$/, "ed"));

/** Where it does not hold any more, or not for ever; of a memory that is shown by itself (`whole`), since when, and of when it speaks. */
const Past = ({ of: { teamId, supersededBy, laterId, occurredAt, validFrom, validTo, expiresAt }, whole }: { of: Listed; whole?: boolean }) => {
  const next = supersededBy ?? laterId;
  const dates = { ...(whole && { Happened: occurredAt, "Valid from": validFrom }), "Valid until": validTo, Expires: expiresAt };
  return (
    <>
      {next && (
        <p class="warning">
          {supersededBy ? "It was replaced: see " : "It may be outdated: see "}
          <a href={`/memories/${teamId}/${next}`}>what is said now</a>.
        </p>
      )}
      {Object.entries(dates).map(([what, at]) => at !== null && (
        <p>
          {what} <Instant at={at} />
        </p>
      ))}
    </>
  );
};

interface EditProps {
  at: string;
  /** That the person saw. */
  version: number | string | null;
  text: string;
  /** Whether it is archived. */
  restores?: boolean;
}

/** To change what a memory says. */
export const Edit = ({ at, version, text, restores }: EditProps) => (
  <form method="post" action={at}>
    <input type="hidden" name="version" value={String(version)} />
    <label for="content">What it says</label>
    <textarea id="content" name="content" dir="auto" rows={8} maxlength={limits.content} required>
      {/* A browser drops the first line break. */}
      {`\n${text}`}
    </textarea>
    <p>
      <button type="submit" class="main" name={restores ? "restore" : undefined}>
        {restores ? "Restore and save" : "Save"}
      </button>
    </p>
  </form>
);

const Text = ({ of }: { of: string }) => (
  <p class="text" dir="auto">
    {of}
  </p>
);

export const LongText = ({ of }: { of: string }) => <Folded start={of.length > mostUnfolded ? preview(of, shownLength) : of} whole={of} />;

/** A long text, and one with a secret, is opened by whoever decides about it. */
const KeptText = ({ of }: { of: Memory }) => <Folded start={preview(openPart(of), shownLength)} whole={wholeOf(of)} />;

export const Folded = ({ start, whole }: { start: string; whole: string }) =>
  start === whole ? (
    <Text of={whole} />
  ) : (
    <details>
      <summary dir="auto">{start}</summary>
      <Text of={whole} />
    </details>
  );

/** The content as it may stand on a screen that others see: a secret is read by who opens it. */
const openPart = (memory: Memory): string => screen({ ...memory, key: null, namespace: "", tags: [], sensitivity: "normal" })?.masked?.content ?? memory.content;

/** All that a release would store, so that nothing is released unseen. */
function wholeOf({ content, value, summary, metadata, quarantine }: Memory): string {
  const { target, fields = [] } = quarantine ?? {};
  return Object.entries({ content, summary, value, metadata }).map(([field, said]) => (target === undefined || fields.includes(field) ? worded(said) : "")).filter(Boolean).join("\n\n");
}

/** What a field says, in words: none where it says nothing. */
export function worded(value: unknown): string {
  const texts = [value].flat();
  if (texts.every((text) => typeof text === "string")) return texts.join(", ");
  const json = JSON.stringify(value);
  return json === "null" || json === "{}" ? "" : json;
}
