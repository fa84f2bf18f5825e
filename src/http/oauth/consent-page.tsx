import type { ConsentDescription } from "@cloudflare/workers-oauth-provider";
import type { TeamMembership } from "../../domain/tenancy/grant-store.ts";
import type { Scope } from "../../domain/tenancy/principal.ts";
import { scopeMeaning } from "../web/pages/scope-meaning.ts";
import type { Visitor } from "../web/web-session.ts";
import { redirectKind, redirectName } from "./redirects.ts";

interface ConsentProps {
  client: ConsentDescription;
  visitor: Visitor;
  teams: readonly TeamMembership[];
  /** The scopes that may be granted, and whether each is ticked at first. */
  offered: readonly { scope: Scope; chosen: boolean }[];
  handle: string;
}

export const ConsentPage = ({ client, visitor, teams, offered, handle }: ConsentProps) => (
  <>
    <h1>Let {client.clientName} use your memory?</h1>
    {client.clientDomain === undefined ? (
      <p>This client gave itself its name; nobody has checked it.</p>
    ) : (
      <p>
        Published by <strong>{client.clientDomain}</strong>.
      </p>
    )}
    <Receiver redirectUri={client.redirectUri} />
    <form method="post" action="/authorize">
      <input type="hidden" name="handle" value={handle} />
      <input type="hidden" name="session" value={visitor.session.id} />
      <p>
        <label for="team">Team</label>
        <select id="team" name="team" required>
          {teams.map((team) => (
            <option value={team.teamId}>{`${team.teamName} (you are ${team.role})`}</option>
          ))}
        </select>
      </p>
      <fieldset>
        <legend>It may</legend>
        {offered.map(({ scope, chosen }) => (
          <label>
            <input type="checkbox" name="scope" value={scope} checked={chosen} /> <span>{scopeMeaning[scope]}</span>
          </label>
        ))}
      </fieldset>
      <p class="aside">
        Signed in as {visitor.person.name}. You can disconnect the client at any time.
      </p>
      <p class="row">
        <button type="submit" class="main" name="decision" value="allow">
          Allow
        </button>
        <button type="submit" name="decision" value="deny" formnovalidate>
          Deny
        </button>
      </p>
    </form>
  </>
);

const Receiver = ({ redirectUri }: { redirectUri: string }) => {
  const kind = redirectKind(redirectUri);
  const name = redirectName(redirectUri);
  return (
    <>
      <p>
        {kind === "private-use" ? "Access will be sent to what opens " : "Access will be sent to "}
        <strong>{name}</strong>.
      </p>
      {kind === "loopback" && <p class="warning">That is a program on this computer. Go on only if you have just started signing in from it.</p>}
      {kind === "private-use" && (
        <p class="warning">
          That opens the program registered for {name} on this computer, and any program may register for it. Go on only if you have just
          started signing in from it.
        </p>
      )}
    </>
  );
};
