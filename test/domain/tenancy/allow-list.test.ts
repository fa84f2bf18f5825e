import { describe, expect, test } from "vitest";
import { isAllowed } from "../../../src/domain/tenancy/allow-list.ts";

const allow = ["@example.com", "ada@example.org", "@kelvin.example"];

describe("who may sign in [A13]", () => {
  test("without a list, everybody whom the issuer vouches for", () => {
    expect(isAllowed(undefined, [])).toBe(true);
  });

  test.each(["grace@example.com", "Grace@Example.COM", "ADA@example.org"])("%s is on the list", (address) => {
    expect(isAllowed(allow, [address])).toBe(true);
    expect(isAllowed(allow, ["other@mail.example", address])).toBe(true);
  });

  test.each([
    "grace@example.org",
    "ada@sub.example.org",
    "grace@sub.example.com",
    "grace@notexample.com",
    "grace@example.com.evil.example",
    "@example.com",
    "example.com",
    "grace@evil.example@example.com",
    '"grace@evil.example"@example.com',
    "grace@evil.example\n@example.com",
    "grace@example.com ",
    "grace@\u212Aelvin.example",
    "",
  ])("%j is not", (address) => {
    expect(isAllowed(allow, [address])).toBe(false);
  });

  test("nobody is whose address the issuer does not vouch for", () => {
    expect(isAllowed(allow, [])).toBe(false);
  });
});
