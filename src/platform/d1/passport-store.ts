import type { Claim, PassportStore, TrustedIssuer } from "../../domain/sessions/passport-store.ts";
import type { SessionOwner } from "../../domain/sessions/session-store.ts";
import type { StorageRoom } from "../storage-room.ts";
import type { ShardOf } from "./shard-of.ts";

/** ?1 team, ?2 user. */
const owned = "team_id = ?1 AND user_id = ?2";
const isOpenTeam = "NOT EXISTS (SELECT 1 FROM team_policies WHERE team_id = ?1 AND closed_at IS NOT NULL)";
const isTrusted = `SELECT 1 FROM passport_issuers WHERE ${owned} AND issuer = ?3`;
const trust = `INSERT INTO passport_issuers (team_id, user_id, issuer, trusted_at) SELECT ?1, ?2, ?3, ?4 WHERE ${isOpenTeam} ON CONFLICT DO NOTHING`;
/** Of a person in a team; far more than anybody moves between. */
const mostTrusted = 100;
const dropOldTrust = `DELETE FROM passport_issuers WHERE ${owned} AND issuer NOT IN (SELECT issuer FROM passport_issuers WHERE ${owned} ORDER BY trusted_at DESC, issuer LIMIT ${mostTrusted})`;
const trusted = `SELECT issuer, trusted_at AS trustedAt FROM passport_issuers WHERE ${owned} ORDER BY issuer`;
const distrust = `DELETE FROM passport_issuers WHERE ${owned} AND issuer = ?3`;
const addClaim = `INSERT INTO passport_claims (team_id, user_id, token_hash, session_id, expires_at) SELECT ?1, ?2, ?3, ?4, ?5 WHERE ${isOpenTeam}`;
const dropOver = `DELETE FROM passport_claims WHERE ${owned} AND expires_at <= ?3`;
const isValid = `${owned} AND token_hash = ?3 AND claimed_at IS NULL AND expires_at > ?4`;
const findClaim = `SELECT session_id AS sessionId FROM passport_claims WHERE ${isValid}`;
const takeClaim = `UPDATE passport_claims SET claimed_at = ?4 WHERE ${isValid} RETURNING session_id AS sessionId`;

/** What passports need beside the sessions themselves, in the shard of the team's memories. */
export class D1PassportStore implements PassportStore {
  readonly #shardOf: ShardOf;
  readonly #room: StorageRoom;

  constructor(shardOf: ShardOf, room: StorageRoom) {
    this.#shardOf = shardOf;
    this.#room = room;
  }

  async isTrusted(owner: SessionOwner, issuer: string): Promise<boolean> {
    return (await this.#bound(owner, isTrusted, issuer).first()) !== null;
  }

  async trust(owner: SessionOwner, { issuer, trustedAt }: TrustedIssuer): Promise<void> {
    await this.#room.require();
    await this.#shardOf(owner.shard).batch([this.#bound(owner, trust, issuer, trustedAt), this.#bound(owner, dropOldTrust)]);
  }

  async trustedIssuers(owner: SessionOwner): Promise<TrustedIssuer[]> {
    return (await this.#bound(owner, trusted).all<TrustedIssuer>()).results;
  }

  async distrust(owner: SessionOwner, issuer: string): Promise<boolean> {
    return (await this.#bound(owner, distrust, issuer).run()).meta.changes > 0;
  }

  async addClaim(owner: SessionOwner, { tokenHash, sessionId, expiresAt }: Claim, now: number): Promise<void> {
    await this.#room.require();
    await this.#shardOf(owner.shard).batch([this.#bound(owner, dropOver, now), this.#bound(owner, addClaim, tokenHash, sessionId, expiresAt)]);
  }

  async findClaim(owner: SessionOwner, tokenHash: string, now: number): Promise<string | undefined> {
    return (await this.#bound(owner, findClaim, tokenHash, now).first<{ sessionId: string }>())?.sessionId;
  }

  async takeClaim(owner: SessionOwner, tokenHash: string, now: number): Promise<string | undefined> {
    return (await this.#bound(owner, takeClaim, tokenHash, now).first<{ sessionId: string }>())?.sessionId;
  }

  #bound({ shard, teamId, userId }: SessionOwner, statement: string, ...rest: (string | number)[]): D1PreparedStatement {
    return this.#shardOf(shard).prepare(statement).bind(teamId, userId, ...rest);
  }
}
