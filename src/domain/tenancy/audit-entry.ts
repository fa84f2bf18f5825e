/** The actions of the directory's audit. Its filter refuses any other. */
export const auditActions = [
  "alert.acknowledge",
  "audit.export",
  "authorize.refused",
  "key.use",
  "grant.use",
  "key.create",
  "key.renew",
  "key.rotate",
  "key.revoke",
  "organization.create",
  "organization.rename",
  "organization.delete",
  "organization.restore",
  "team.create",
  "team.rename",
  "team.delete",
  "team.restore",
  "team.erase",
  "team.data-key.rotate",
  "member.role.owner",
  "member.role.admin",
  "member.role.member",
  "member.role.viewer",
  "member.remove",
  "member.leave",
  "member.transfer",
  "invitation.create",
  "invitation.revoke",
  "invitation.accept",
  "invitation.refused",
  "account.delete",
  "account.erase",
  "client.register",
  "grant.create",
  "grant.end",
  "grant.reuse",
  "identity.link",
  "link.create",
  "link.use",
  "link.revoke",
  "passkey.add",
  "passkey.remove",
  "person.create",
  "resource.read",
  "session.end",
  "sign-in.link",
  "sign-in.recovery",
  "sign-in.upstream",
  "sign-in.passkey",
  "sign-in.refused",
  "authenticate.token",
  "authenticate.malformed",
  "authenticate.unknown",
  "authenticate.expired",
  "authenticate.revoked",
] as const;

export type AuditAction = (typeof auditActions)[number];

/** Where a call came from, as far as the edge knows. */
export interface CallOrigin {
  client?: string;
  address?: string;
  /** Country of the address, as two letters. */
  country?: string;
  requestId?: string;
}

/** With what the address and a space behind it begin, as do all of one network: four groups of IPv6, the whole of IPv4. */
export const sourceOf = (address: string | undefined): string | null => /^(\w+:){4}|^.*?::|.+ /.exec(`${address ?? ""} `)?.[0] ?? null;

export interface AuditEntry extends CallOrigin {
  at: number;
  action: AuditAction;
  success: boolean;
  organizationId?: string;
  teamId?: string;
  userId?: string;
  /** Id of what it is about: a key, a session, a grant. */
  subject?: string;
  /** Id of the credential that the person used. */
  credentialId?: string;
}
