import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Role, roles, scopes } from "../../../src/domain/tenancy/principal.ts";
import { may, mayChangeRole, mayGive, mayRemove, requireAction, teamActions } from "../../../src/domain/tenancy/roles.ts";

const role = fc.constantFrom(...roles);
/** From the highest on: what follows is less. */
const height = (of: Role): number => -roles.indexOf(of);

describe("who may do what [F3]", () => {
  test("nobody gives a role above their own, and who manages nobody gives none", () => {
    fc.assert(fc.property(role, role, (actor, given) => {
      expect(mayGive(actor, given)).toBe((actor === "owner" || actor === "admin") && height(given) <= height(actor));
    }));
  });

  test("nobody raises anybody above themselves, or touches who is above them", () => {
    fc.assert(fc.property(role, role, role, (actor, from, to) => {
      if (!mayChangeRole(actor, from, to)) return;
      expect(["owner", "admin"]).toContain(actor);
      expect(height(from)).toBeLessThanOrEqual(height(actor));
      expect(height(to)).toBeLessThanOrEqual(height(actor));
    }));
  });

  test("no chain of changes by people who are no owners ends in a new owner, or without an old one", () => {
    fc.assert(fc.property(fc.array(role, { minLength: 2, maxLength: 5 }), fc.array(fc.tuple(fc.nat(4), fc.nat(4), role), { maxLength: 40 }), (start, moves) => {
      const team = [...start];
      for (const [by, of, to] of moves) {
        const [actor, target] = [team[by], team[of]];
        if (actor === undefined || target === undefined || actor === "owner") continue;
        if (mayChangeRole(actor, target, to)) team[of] = to;
      }
      expect(team.map((role) => role === "owner")).toEqual(start.map((role) => role === "owner"));
    }));
  });

  test("removing is for who could also change the role", () => {
    fc.assert(fc.property(role, role, (actor, target) => {
      expect(mayRemove(actor, target)).toBe(mayChangeRole(actor, target, "viewer"));
    }));
  });

  test("who has a higher role may do all that a lower one may", () => {
    fc.assert(fc.property(role, role, fc.constantFrom(...teamActions), (one, other, action) => {
      if (height(one) >= height(other) && may(other, action)) expect(may(one, action)).toBe(true);
    }));
  });

  test.each(teamActions)("to %s also takes a scope", (action) => {
    const allowed = (granted: readonly (typeof scopes)[number][]): boolean => {
      try {
        requireAction({ role: "owner", scopes: granted }, action);
        return true;
      } catch {
        return false;
      }
    };
    expect(allowed(scopes)).toBe(true);
    expect(allowed([])).toBe(false);
    expect(allowed(["memory:write"])).toBe(false);
    expect(allowed(["memory:read"])).toBe(action === "see the team");
  });
});
