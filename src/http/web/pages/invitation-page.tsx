import type { OpenInvitation } from "../../../domain/tenancy/tenant-store.ts";
import type { Role } from "../../../domain/tenancy/principal.ts";
import { ToAccount } from "./to-account.tsx";

const rights: Record<Role, string> = {
  owner: "You will own it together with its other owners.",
  admin: "You will read and write its memories and manage its members.",
  member: "You will read and write its memories.",
  viewer: "You will read its memories.",
};

interface InvitationProps {
  invitation: OpenInvitation;
  token: string;
  person: string;
}

export const InvitationPage = ({ invitation: { teamName, organizationName, role, inviterName, inviterRole }, token, person }: InvitationProps) => (
  <>
    <h1>Join {teamName}</h1>
    <p>
      {inviterName}, its {inviterRole}, invites you as {role} to this team of the organization {organizationName}. {rights[role]} You are signed in as {person}.
    </p>
    <form method="post" action="/invitation">
      <input type="hidden" name="token" value={token} />
      <button type="submit" class="main">
        Join the team
      </button>
    </form>
    <ToAccount />
  </>
);

export const SignInFirstPage = ({ what }: { what: string }) => (
  <>
    <h1>{what}</h1>
    <p>
      <a href="/sign-in">Sign in</a> first; you then come back to it.
    </p>
  </>
);
