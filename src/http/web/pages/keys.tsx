import { defaultGraceHours, defaultLifetimeDays, type IssuedKey, maxLifetimeDays } from "../../../domain/tenancy/keys.ts";
import type { OwnKey } from "../../../domain/tenancy/key-store.ts";
import type { TeamMembership } from "../../../domain/tenancy/grant-store.ts";
import { type Scope, scopes } from "../../../domain/tenancy/principal.ts";
import { Act } from "./act.tsx";
import { Instant } from "./instant.tsx";
import { PageToken } from "./page-token.tsx";
import { ToAccount } from "./to-account.tsx";

export interface KeysProps {
  keys: readonly OwnKey[];
  /** Where the person may make keys. */
  teams: readonly TeamMembership[];
}

const lifetimes = [7, 30, defaultLifetimeDays, 180, maxLifetimeDays];
const what: Record<Scope, string> = { "memory:read": "read memories", "memory:write": "write memories", "memory:admin": "manage keys, members and the team" };
/** With the scopes that a client needs for its work. */
const usual = new URLSearchParams(`scope=memory:read&scope=memory:write&days=${defaultLifetimeDays}`);

/** The person's keys, and a form for another one. */
export const Keys = ({ keys, teams }: KeysProps) => (
  <>
    <h2 id="keys">API keys</h2>
    {keys.length === 0 ? (
      <p>None. Clients that cannot ask you to sign in take a key instead.</p>
    ) : (
      <ul aria-labelledby="keys" class="cards">
        {keys.map((key) => (
          <KeyCard of={key} />
        ))}
      </ul>
    )}
    {teams.length > 0 && <NewKey teams={teams} />}
  </>
);

const KeyCard = ({ of: { keyId, teamId, teamName, name, scopes: granted, createdAt, expiresAt, lastUsedAt, replacedBy } }: { of: OwnKey }) => (
  <li>
    <p>
      <strong>{name}</strong> in {teamName} {replacedBy !== null && "(replaced)"}
    </p>
    <p class="aside">
      <code>omn_{keyId}_…</code>, {granted.join(", ")}; since <Instant at={createdAt} />, {lastUsedAt === null ? "never used" : <>last used <Instant at={lastUsedAt} /></>},{" "}
      {expiresAt === null ? "does not expire" : <>expires <Instant at={expiresAt} /></>}
    </p>
    <div class="row">
      {replacedBy === null && (
        <form method="post" action={`/keys/${teamId}/${keyId}/rotate`}>
          <PageToken />
          <button type="submit" aria-label={`Replace the key ${name} in ${teamName}`}>
            Replace
          </button>
        </form>
      )}
      <details>
        <summary aria-label={`Revoke the key ${name} in ${teamName}?`}>Revoke it</summary>
        <Act action={`/keys/${teamId}/${keyId}/revoke`} label="Revoke for good" name={`Revoke the key ${name} in ${teamName}`} />
      </details>
    </div>
  </li>
);

/** `given`: what was filled in, of a form that was refused. */
export const NewKey = ({ teams, given = usual }: Pick<KeysProps, "teams"> & { given?: URLSearchParams }) => (
  <form method="post" action="/keys">
    <PageToken of={given.get("page") ?? undefined} />
    <fieldset>
      <legend>New key</legend>
      <label for="key-name">Name, such as where it will be used</label>
      <input type="text" id="key-name" name="name" value={given.get("name") ?? ""} required maxlength={100} autocomplete="off" />
      <label for="key-team">Team</label>
      <select id="key-team" name="team">
        {teams.map(({ teamId, teamName, role }) => (
          <option value={teamId} selected={given.get("team") === teamId}>{teamName}{role === "viewer" && " (where you only read)"}</option>
        ))}
      </select>
      <fieldset>
        <legend>It may</legend>
        {scopes.map((scope) => (
          <label>
            <input type="checkbox" name="scope" value={scope} checked={given.getAll("scope").includes(scope)} /> {what[scope]} ({scope})
          </label>
        ))}
      </fieldset>
      <label for="key-days">It expires after</label>
      <select id="key-days" name="days">
        {lifetimes.map((days) => (
          <option value={String(days)} selected={String(days) === given.get("days")}>
            {days} days
          </option>
        ))}
      </select>
      <p>
        <button type="submit">Create the key</button>
      </p>
    </fieldset>
  </form>
);

/** The one time that a key is shown. */
export const IssuedKeyPage = ({ issued: { token, key }, oldExpiresAt }: { issued: IssuedKey; oldExpiresAt?: number }) => (
  <>
    <h1>Your new key {key.name}</h1>
    <p class="warning">Copy it now: it is shown this once, and nobody can look it up later.</p>
    <p>
      <code>{token}</code>
    </p>
    <p>
      It may be used for {key.scopes.join(", ")}
      {key.expiresAt !== null && (
        <>
          {" "}until <Instant at={key.expiresAt} />
        </>
      )}
      . Clients send it as <code>Authorization: Bearer</code> header.
    </p>
    {oldExpiresAt !== undefined && (
      <p>
        The key before it works until <Instant at={oldExpiresAt} />, at most {defaultGraceHours} hours from now.
      </p>
    )}
    <ToAccount />
  </>
);
