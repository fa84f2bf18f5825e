import { forbidden } from "../errors.ts";
import { isTeamAdmin, requireScope, type Principal } from "../tenancy/principal.ts";
import type { Memory, Visibility } from "./memory.ts";

/** Who may see a memory of their own team: the rule that the store states in SQL, for what is already in hand. */
export const maySee = (principal: Pick<Principal, "teamId" | "userId">, memory: Pick<Memory, "teamId" | "visibility" | "ownerId">): boolean =>
  memory.teamId === principal.teamId && (memory.visibility !== "private" || memory.ownerId === principal.userId);

/** Members revise together what the team shares: every version is kept, so nothing is lost by it. Where review is on, an admin looks first. */
export function requireEdit(principal: Principal, memory: Memory): void {
  requireScope(principal, "memory:write");
  if (memory.teamId !== principal.teamId) {
    throw forbidden("This memory belongs to another team of your organization; you may read it only.", "Store your own version of it instead.");
  }
}

/**
 * Who sees a memory is for its owner to say. An admin may share or withdraw what the organization sees, but not move it
 * among the owner's private memories: whether its key is free there is nobody else's to know.
 */
export const mayChangeVisibility = (principal: Principal, { visibility, ownerId }: Memory, to: Visibility): boolean =>
  to === visibility || ownerId === principal.userId || (to !== "private" && isTeamAdmin(principal));

/** An expiry erases: who may not erase a memory may let it live longer only. */
export const mayExpire = (principal: Principal, memory: Memory, at: number | null): boolean => (at ?? Infinity) >= (memory.expiresAt ?? Infinity) || mayErase(principal, memory);

/** What a change may set. @throws PERMISSION_DENIED */
export function requireChange(principal: Principal, memory: Memory, { visibility: to = memory.visibility, expiresAt = memory.expiresAt }: Partial<Pick<Memory, "visibility" | "expiresAt">>): void {
  if (!mayExpire(principal, memory, expiresAt)) requireErase(principal, memory);
  if (mayChangeVisibility(principal, memory, to)) return;
  if (to === "private") {
    throw forbidden("Only its owner may make this memory private.", "Leave visibility out, or archive the memory instead.");
  }
  throw forbidden("Only its owner or a team admin may change who sees this memory.", "Leave visibility out, or ask the owner.");
}

/** Erasing cannot be undone: one's own memories, or any of the team's for an admin with memory:admin. */
export const mayErase = (principal: Principal, { ownerId }: Pick<Memory, "ownerId">): boolean => ownerId === principal.userId || isTeamAdmin(principal);

/** @throws PERMISSION_DENIED */
export function requireErase(principal: Principal, memory: Memory): void {
  requireEdit(principal, memory);
  if (!mayErase(principal, memory)) {
    throw forbidden(
      "Only its owner or a team admin (scope memory:admin) may erase this memory, or let it expire sooner.",
      "Archive it instead (mode: archive), which can be undone.",
    );
  }
}
