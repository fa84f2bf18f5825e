import type { SessionOwner } from "./session-store.ts";

/** A server whose passports a person takes. */
export interface TrustedIssuer {
  issuer: string;
  trustedAt: number;
}

/** A link by which a person takes a session of theirs to another tool. */
export interface Claim {
  tokenHash: string;
  sessionId: string;
  expiresAt: number;
}

export interface PassportStore {
  isTrusted(owner: SessionOwner, issuer: string): Promise<boolean>;
  trust(owner: SessionOwner, trusted: TrustedIssuer): Promise<void>;
  trustedIssuers(owner: SessionOwner): Promise<TrustedIssuer[]>;
  /** False where it was not trusted. */
  distrust(owner: SessionOwner, issuer: string): Promise<boolean>;
  /** Drops the person's links that are over. */
  addClaim(owner: SessionOwner, claim: Claim, now: number): Promise<void>;
  /** The id of the session that the link opens; undefined when it is used, over, or somebody else's. */
  findClaim(owner: SessionOwner, tokenHash: string, now: number): Promise<string | undefined>;
  /** The same, once: of two at the same moment one gets it. */
  takeClaim(owner: SessionOwner, tokenHash: string, now: number): Promise<string | undefined>;
}
