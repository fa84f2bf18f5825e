import type { Connection, TeamMembership } from "../../../domain/tenancy/grant-store.ts";
import { isScope } from "../../../domain/tenancy/principal.ts";
import type { WebSession } from "../../../domain/tenancy/sign-in-store.ts";
import type { Visitor } from "../web-session.ts";
import { Act } from "./act.tsx";
import { browserName } from "./browser-name.ts";
import { Instant } from "./instant.tsx";
import { Keys, type KeysProps } from "./keys.tsx";
import { CameByRecoveryLink } from "./recovery-page.tsx";
import { scopeMeaning } from "./scope-meaning.ts";
import { SignInMethods, type SignInMethodsProps } from "./sign-in-methods.tsx";

interface AccountProps {
  visitor: Visitor;
  /** What a client is given. */
  mcpUrl: string;
  /** Set when the person signed in by their recovery link and has added no sign-in method since. */
  needsSignInMethod: { onward: string | undefined } | undefined;
  sessions: readonly WebSession[];
  connections: readonly Connection[];
  teams: readonly TeamMembership[];
  keys: KeysProps;
  signInMethods: SignInMethodsProps;
}

export const AccountPage = ({ visitor, mcpUrl, needsSignInMethod, sessions, connections, teams, keys, signInMethods }: AccountProps) => (
  <>
    <h1>Your account</h1>
    {needsSignInMethod && <CameByRecoveryLink {...needsSignInMethod} />}
    <div class="row">
      <p>
        Signed in as <strong>{visitor.person.name}</strong>.
      </p>
      <Act action="/sign-out" label="Sign out" />
    </div>
    {teams.map(({ teamId, teamName }) => (
      <p class="row">
        <a href={`/memories/${teamId}`}>Memories of {teamName}</a>
        <a href={`/teams/${teamId}`}>Members of {teamName}</a>
      </p>
    ))}
    <h2 id="connections">Connected clients</h2>
    <p>
      {connections.length === 0 && "None yet. "}Add <code>{mcpUrl}</code> to a client, and it asks you here.
    </p>
    {connections.length > 0 && (
      <ul aria-labelledby="connections" class="cards">
        {connections.map((connection) => (
          <ConnectionCard connection={connection} />
        ))}
      </ul>
    )}
    <Keys {...keys} />
    <SignInMethods {...signInMethods} />
    <h2 id="sessions">Where you are signed in</h2>
    <ul aria-labelledby="sessions" class="cards">
      {sessions.map((session) => (
        <SessionCard session={session} isThis={session.id === visitor.session.id} />
      ))}
    </ul>
  </>
);

const ConnectionCard = ({ connection: { teamId, grantId, teamName, clientName, redirectHost, scopes, createdAt } }: { connection: Connection }) => (
  <li>
    <p>
      <strong>{clientName}</strong> in {teamName}
    </p>
    <p>{scopes.filter(isScope).map((scope) => scopeMeaning[scope]).join(" · ")}</p>
    <p class="aside">
      Since <Instant at={createdAt} />, through {redirectHost}
    </p>
    <Act action={`/connections/${teamId}/${grantId}/end`} label="Disconnect" name={`Disconnect ${clientName} from ${teamName}`} />
  </li>
);

const SessionCard = ({ session, isThis }: { session: WebSession; isThis: boolean }) => (
  <li>
    <p>
      <strong title={session.userAgent ?? undefined}>{browserName(session.userAgent)}</strong> {isThis && "(this browser)"}
    </p>
    <p class="aside">
      Signed in <Instant at={session.createdAt} />, last seen <Instant at={session.lastSeenAt} />
      {session.address !== null && `, from ${session.address}`}
    </p>
    {!isThis && <Act action={`/sessions/${session.id}/end`} label="End this session" name={`End the session of ${browserName(session.userAgent)}`} />}
  </li>
);
