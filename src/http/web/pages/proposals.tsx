import type { Memory } from "../../../domain/memories/memory.ts";
import type { AuthorOf } from "../../../domain/memories/authorship.ts";
import { initialState, memoryFields, sealedFields } from "../../../domain/memories/memory-fields.ts";
import { maySee } from "../../../domain/memories/policy.ts";
import type { LinkChanges, Proposal, ProposalState } from "../../../domain/memories/proposal-store.ts";
import type { ProposedMemory } from "../../../domain/memories/proposals.ts";
import { asFound } from "../../../domain/secrets/redaction.ts";
import { isTeamAdmin, type Principal } from "../../../domain/tenancy/principal.ts";
import { audience } from "../../../tools/sharing-question.ts";
import { changesOf } from "../../../domain/memories/portable.ts";
import { Act } from "./act.tsx";
import { Instant } from "./instant.tsx";
import { Folded, LongText, nameOf, secretStart, worded } from "./memories.tsx";

interface ProposalsProps {
  principal: Principal;
  team: string;
  state: ProposalState;
  /** The cursor that the page begins after. */
  before: string | undefined;
  /** How the person just decided. */
  done: ProposalState | undefined;
  /** Newest first. */
  found: readonly ProposedMemory[];
  authorOf: AuthorOf;
  /** What is linked or takes the place of another, as far as the person may see it. */
  ends: readonly Memory[];
  /** Cursor of the next page. */
  next: string | undefined;
}

const titles: Record<ProposalState, string> = { pending: "Waiting", accepted: "Accepted", refused: "Refused" };
const outcomes: Partial<Record<ProposalState, string>> = { accepted: "Accepted: others see it as proposed.", refused: "Refused: the memory stays as it is." };

/** What members propose to share or to change: all of it for those who decide, and for others what is theirs. */
export const ProposalsPage = ({ principal, team, state, before, done, found, authorOf, ends, next }: ProposalsProps) => {
  const here = `/memories/${principal.teamId}`;
  const decides = isTeamAdmin(principal);
  return (
    <>
      <h1>Proposals in {team}</h1>
      {done && <p role="status">{outcomes[done]}</p>}
      <p>
        What members share or change for others waits here, where the team reviews it.
        {!decides && " You see your own."}
      </p>
      <p class="row">
        {Object.entries(titles).map(([name, title]) => (name !== state || before) && <a href={`${here}/proposals?state=${name}`}>{title}</a>)}
        <a href={here}>All memories</a>
      </p>
      <h2 id="list">{titles[state]}</h2>
      {found.length === 0 ? (
        <p>{before ? "Nothing older." : "None."}</p>
      ) : (
        <ul aria-labelledby="list" class="cards">
          {found.map((one) => (
            <Card {...{ principal, here, before, decides, authorOf, ends, one }} />
          ))}
        </ul>
      )}
      {next !== undefined && (
        <p>
          <a href={`${here}/proposals?state=${state}&before=${next}`}>Older</a>
        </p>
      )}
    </>
  );
};

interface CardProps extends Pick<ProposalsProps, "principal" | "before" | "authorOf" | "ends"> {
  here: string;
  decides: boolean;
  one: ProposedMemory;
}

const sealed = new Set<string>(sealedFields.map((field) => memoryFields[field].name));

/**
 * Shows all that others would see then, so that nothing is accepted unseen: of a change each field that would be another one, of what is
 * shared each that says something. It leaves out the mark that says which fields rules derived.
 */
const Card = ({ principal, here, before, decides, authorOf, ends, one: { proposal, memory, wanted, outdated } }: CardProps) => {
  const { id, state, tool, proposed, links, visibility, proposedBy, proposedAt, decidedBy, decidedAt } = proposal;
  const name = memory ? nameOf(asFound(memory)) : "A memory that its owner alone sees";
  const by = (userId: string): string => authorOf({ updatedBy: userId }) ?? "you";
  const at = `${here}/proposals/${id}`;
  const back = before ? `?before=${before}` : "";
  const linked = (to: string) => {
    const end = ends.find(({ id }) => id === to);
    return end ? <a href={`${here}/${to}`}>{nameOf(end)}</a> : "a memory";
  };
  const isChange = proposed !== null || links !== null;
  const isSecret = [memory, wanted].some((one) => one?.sensitivity === "secret");
  return (
    <li>
      <p dir="auto">{memory && maySee(principal, memory) ? <a href={`${here}/${memory.id}`}>{name}</a> : name}</p>
      {memory && wanted && state !== "accepted" && (
        <>
          <p>
            <strong>
              To be {!isChange ? `seen by ${audience[visibility]}` : memory.archivedAt === wanted.archivedAt ? "changed" : wanted.archivedAt === null ? "restored" : "archived"}
            </strong>
          </p>
          <dl>
            {Object.entries(changesOf(isChange ? memory : { ...memory, ...initialState, content: "", visibility: memory.visibility }, wanted)).map(([field, { before, after }]) =>
              field !== "enrichment" && Object.entries(isChange ? { ", now": before, ", proposed": after } : { "": after }).map(([side, value]) => (
                <>
                  <dt class="aside">
                    {field.replaceAll("_", " ")}
                    {side}
                  </dt>
                  <dd>{field === "superseded_by" && value ? linked(String(value)) : isSecret && sealed.has(field) ? <Folded start={secretStart} whole={worded(value)} /> : <LongText of={worded(value) || "nothing"} />}</dd>
                </>
              )),
            )}
          </dl>
          {linksOf(proposal).map(({ to, type = "any link", strength, reason }) => (
            <p dir="auto">
              {strength === undefined ? "To unlink" : "To link"}: {type} {linked(to)}
              {strength !== undefined && `, strength ${strength}. ${reason}`}
            </p>
          ))}
        </>
      )}
      {outdated && <p class="warning">The memory has changed since, so this can only be refused.</p>}
      <p class="aside">
        Proposed by {by(proposedBy)} with {tool}, <Instant at={proposedAt} />
        {decidedBy && decidedAt && (
          <>
            ; {state} by {by(decidedBy)}, <Instant at={decidedAt} />
          </>
        )}
      </p>
      {decides && state === "pending" && (
        <div class="row">
          {!outdated && <Act action={`${at}/accept${back}`} label="Accept" name={`Accept: ${name}`} />}
          <Act action={`${at}/refuse${back}`} label="Refuse" name={`Refuse: ${name}`} />
        </div>
      )}
    </li>
  );
};

/** Only one to make says how strong it is, and why. */
type LinkChange = LinkChanges["remove"][number] & Partial<Pick<LinkChanges["add"][number], "strength" | "reason">>;

export const linksOf = ({ links }: Pick<Proposal, "links">): LinkChange[] => (links ? [...links.add, ...links.remove] : []);
