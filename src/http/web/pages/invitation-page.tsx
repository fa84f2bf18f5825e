import type { Role } from "../../../domain/tenancy/principal.ts";

const rights: Record<Role, string> = {
  owner: "You will own it together with its other owners.",
  admin: "You will read and write its memories and manage its members.",
  member: "You will read and write its memories.",
  viewer: "You will read its memories.",
};

interface InvitationProps {
  team: string;
  role: Role;
  token: string;
  person: string;
}

export const InvitationPage = ({ team, role, token, person }: InvitationProps) => (
  <>
    <h1>Join {team}</h1>
    <p>
      You are invited to this team as {role}. {rights[role]} You are signed in as {person}.
    </p>
    <form method="post" action="/invitation">
      <input type="hidden" name="token" value={token} />
      <button type="submit" class="main">
        Join the team
      </button>
    </form>
  </>
);

export const SignInFirstPage = () => (
  <>
    <h1>You are invited to a team</h1>
    <p>
      <a href="/sign-in">Sign in</a> first; you then come back to the invitation.
    </p>
  </>
);
