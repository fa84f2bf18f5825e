import { sha256Hex } from "../../domain/hash.ts";
import { fromBase64url, toBase64url } from "../../domain/secrets/base64url.ts";
import { namesTeams } from "../../domain/embedding/vector-space.ts";
import type { VectorKind } from "../../domain/embedding/vector-index.ts";

/** Ids are unique in a whole Vectorize index, so the id of a vector names the team: two teams may hold a memory of the same id. */
export interface VectorPlace {
  /** `teamDigest` of the team. */
  team: string;
  /** `markOf` the space: a new model's vectors are stored beside the old one's. */
  mark: string;
  /** Other teams of the organization find the second copy of what is public. */
  copy: "team" | "organization";
}

export interface ParsedVectorId {
  kind: VectorKind;
  id: string;
  /** `teamDigest` of the team; undefined in an id of the former form. */
  team: string | undefined;
  /** `markOf` the space. */
  mark: string;
}

const prefixes: Record<VectorKind, string> = { memory: "m", entity: "e", relationship: "r" };
const kinds = new Map(Object.entries(prefixes).map(([kind, prefix]) => [prefix, kind as VectorKind]));

/** No hexadecimal digit, so that a mark shows which form of ids its space has. */
const currentMark = "t";
export const hasFormerIds = (mark: string): boolean => !mark.startsWith(currentMark);

/** A deployment has few spaces, and asks with every query. */
const marks = new Map<string, string>();

export async function markOf(space: string): Promise<string> {
  const known = marks.get(space);
  if (known !== undefined) return known;
  const digest = (await sha256Hex(space)).slice(0, 8);
  const mark = namesTeams(space) ? `${currentMark}${digest}` : digest;
  marks.set(space, mark);
  return mark;
}

/** 96 bits of the team's SHA-256. */
export async function teamDigest(teamId: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(teamId));
  return toBase64url(new Uint8Array(digest).subarray(0, 12));
}

/**
 * `m:<UUID in base64url>:<digest of the team>:<mark>`, with `:o` for the organization's copy: 53 of the 64 bytes that
 * Vectorize allows. Spaces of the former form have `m:<UUID>:<mark>`, which every team shares that holds the UUID.
 */
export function vectorId(kind: VectorKind, id: string, { team, mark, copy }: VectorPlace): string {
  const name = hasFormerIds(mark) ? id : `${packUuid(id)}:${team}`;
  return `${prefixes[kind]}:${name}:${mark}${copy === "organization" ? ":o" : ""}`;
}

const currentForm = /^([mer]):([\w-]{22}):([\w-]{16}):(t[0-9a-f]{8})(?::o)?$/;
const formerForm = /^([mer]):([0-9a-f-]{36}):([0-9a-f]{8})(?::o)?$/;

/** @throws when the id is of neither form */
export function parseVectorId(vectorId: string): ParsedVectorId {
  const [, prefix, packed, team, mark] = currentForm.exec(vectorId) ?? [];
  if (prefix !== undefined) return { kind: kinds.get(prefix) as VectorKind, id: unpackUuid(packed as string), team, mark: mark as string };
  const [, formerPrefix, id, formerMark] = formerForm.exec(vectorId) ?? [];
  if (formerPrefix === undefined) throw new Error(`Not a vector id of OmniMemory: ${vectorId}`);
  return { kind: kinds.get(formerPrefix) as VectorKind, id: id as string, team: undefined, mark: formerMark as string };
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function packUuid(id: string): string {
  if (!uuid.test(id)) throw new Error(`Not a UUID: ${id}`);
  const digits = id.replaceAll("-", "");
  return toBase64url(Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16)));
}

function unpackUuid(packed: string): string {
  const digits = [...fromBase64url(packed)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20, 32]].map(([from, to]) => digits.slice(from, to)).join("-");
}

/** 51 of 64 bytes. */
export const teamNamespace = (teamId: string, mark: string): string => `team:${teamId}:${mark}`;
export const organizationNamespace = (organizationId: string, mark: string): string => `org:${organizationId}:${mark}`;
