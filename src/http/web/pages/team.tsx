import { defaultInvitationDays, maxInvitationDays } from "../../../domain/tenancy/invitations.ts";
import { type Principal, type Role, roles } from "../../../domain/tenancy/principal.ts";
import { may, mayChangeRole, mayGive, mayRemove } from "../../../domain/tenancy/roles.ts";
import { maxNameLength } from "../../../domain/tenancy/teams.ts";
import type { Invitation, Member, TeamSummary } from "../../../domain/tenancy/tenant-store.ts";
import { Act } from "./act.tsx";
import { Instant } from "./instant.tsx";
import { PageToken } from "./page-token.tsx";

/** What somebody may just have done. */
export const deeds = ["role", "removed", "revoked"] as const;

interface TeamProps {
  principal: Principal;
  team: TeamSummary;
  members: readonly Member[];
  /** Invitations that can be accepted; none for who may not see them. */
  open: readonly Invitation[] | undefined;
  done: (typeof deeds)[number] | undefined;
}

const outcomes: Record<(typeof deeds)[number], string> = {
  role: "The role is changed.",
  removed: "Removed: they are in the team no more.",
  revoked: "Revoked: that link lets nobody in.",
};
const what: Record<Role, string> = { owner: "owns the team", admin: "manages members, reads and writes", member: "reads and writes", viewer: "reads" };
const lifetimes = [1, defaultInvitationDays, 14, maxInvitationDays];

/** Who is in a team, and for those who manage it who is invited. What nobody may do is not offered; the verbs decide. */
export const TeamPage = ({ principal, team, members, open, done }: TeamProps) => {
  const here = `/teams/${team.id}`;
  return (
    <>
      <h1>Members of {team.name}</h1>
      {done && <p role="status">{outcomes[done]}</p>}
      <p>
        A team of the organization {team.organizationName}.{team.personal && " It is your own: nobody can be invited. Make another one to share."}
      </p>
      <p class="row">
        <a href={`/memories/${team.id}`}>Memories</a>
        <a href="/">Your account</a>
      </p>
      <h2 id="members">Members</h2>
      <ul aria-labelledby="members" class="cards">
        {members.map((member) => (
          <MemberCard {...{ principal, here, member, personal: team.personal }} />
        ))}
      </ul>
      {open && !team.personal && (
        <>
          <h2 id="invitations">Open invitations</h2>
          {open.length === 0 ? (
            <p>None.</p>
          ) : (
            <ul aria-labelledby="invitations" class="cards">
              {open.map(({ id, role, invitedBy, createdAt, expiresAt }) => (
                <li>
                  <p>
                    As <strong>{role}</strong>, from {members.find(({ userId }) => userId === invitedBy)?.name ?? "somebody who has left"}
                  </p>
                  <p class="aside">
                    Made <Instant at={createdAt} />, expires <Instant at={expiresAt} />
                  </p>
                  <details>
                    <summary aria-label={`Revoke the invitation as ${role}?`}>Revoke it</summary>
                    <Act action={`${here}/invitations/${id}/revoke`} label="Revoke for good" name={`Revoke the invitation as ${role}`} />
                  </details>
                </li>
              ))}
            </ul>
          )}
          <form method="post" action={`${here}/invitations`}>
            <PageToken />
            <fieldset>
              <legend>Invite somebody</legend>
              <p>You get a link for one person, which you send to them yourself.</p>
              <label for="role">They join as</label>
              <select id="role" name="role">
                {roles.map((role) => mayGive(principal.role, role) && (
                  <option value={role} selected={role === "member"}>
                    {role} ({what[role]})
                  </option>
                ))}
              </select>
              <label for="days">The link works for</label>
              <select id="days" name="days">
                {lifetimes.map((days) => (
                  <option value={String(days)} selected={days === defaultInvitationDays}>
                    {days} {days === 1 ? "day" : "days"}
                  </option>
                ))}
              </select>
              <p>
                <button type="submit">Make the link</button>
              </p>
            </fieldset>
          </form>
        </>
      )}
      {may(principal.role, "create teams") && (
        <form method="post" action={`${here}/beside`}>
          <fieldset>
            <legend>New team</legend>
            <p>It is of the same organization, you own it, and you invite others there.</p>
            <label for="name">Its name</label>
            <input type="text" id="name" name="name" required maxlength={maxNameLength} autocomplete="off" />
            <p>
              <button type="submit">Make the team</button>
            </p>
          </fieldset>
        </form>
      )}
    </>
  );
};

interface MemberProps {
  principal: Principal;
  here: string;
  member: Member;
  /** Whether the team is its member's own, which nobody leaves. */
  personal: boolean;
}

const MemberCard = ({ principal, here, member: { userId, name, role, joinedAt }, personal }: MemberProps) => {
  const at = `${here}/members/${userId}`;
  const isSelf = userId === principal.userId;
  const possible = roles.filter((to) => mayChangeRole(principal.role, role, to));
  return (
    <li>
      <p>
        <strong>{name}</strong>, {role} {isSelf && "(you)"}
      </p>
      <p class="aside">
        Since <Instant at={joinedAt} />
      </p>
      {!personal && (
        <>
          {possible.length > 0 && (
            <details>
              <summary aria-label={`Change the role of ${name}?`}>Change the role</summary>
              <form method="post" action={`${at}/role`} class="row">
                <select name="role" aria-label={`Role of ${name}`}>
                  {possible.map((to) => (
                    <option value={to} selected={to === role}>
                      {to} ({what[to]})
                    </option>
                  ))}
                </select>
                <button type="submit" aria-label={`Change the role of ${name}`}>
                  Change
                </button>
              </form>
            </details>
          )}
          {(isSelf || mayRemove(principal.role, role)) && (
            <details>
              <summary aria-label={isSelf ? undefined : `Remove ${name}?`}>{isSelf ? "Leave the team" : "Remove"}</summary>
              <p>{isSelf ? "Your" : "Their"} keys and connected clients end for this team. What is shared stays; private memories stay unseen until {isSelf ? "you are" : "they are"} back.</p>
              <Act action={isSelf ? `${here}/leave` : `${at}/remove`} label={isSelf ? "Leave it now" : "Remove from the team"} name={isSelf ? undefined : `Remove ${name} from the team`} />
            </details>
          )}
        </>
      )}
    </li>
  );
};

/** The one time that the link of an invitation is shown. */
export const NewInvitationPage = ({ invitation: { role, teamId, expiresAt }, team, link }: { invitation: Invitation; team: string; link: string }) => (
  <>
    <h1>Your invitation to {team}</h1>
    <p class="warning">Copy the link now: it is shown this once. Whoever uses it first joins.</p>
    <p>
      <code>{link}</code>
    </p>
    <p>
      It lets one person in as {role}, until <Instant at={expiresAt} />. Send it to them yourself.
    </p>
    <p>
      <a href={`/teams/${teamId}`}>All members</a>
    </p>
  </>
);
