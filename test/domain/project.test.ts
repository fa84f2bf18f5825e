import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { project as projectRule } from "../../src/domain/memories/fields.ts";
import { formerNameOf, isSameProject, projectIdentity, projectName } from "../../src/domain/project.ts";

/** No number: without a user before the host, digits after its colon are a port. */
const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,12}$/);
const host = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z]\.(?:com|org|internal)$/);
const path = fc.array(word, { minLength: 2, maxLength: 4 });
/** Any text that a password may be in a URL: a slash would end the place where it can stand. */
const secret = fc.stringMatching(/^[A-Za-z0-9._~!$&'()*+,;=:@%-]{0,20}$/).map((text) => `s3cr3t${text}s3cr3t`);
const isSuffixed = fc.boolean();

/** Every way in which git and its clients write one remote. */
const spellings = (at: string, parts: readonly string[], git: boolean): string[] => {
  const rest = `${parts.join("/")}${git ? ".git" : ""}`;
  return [
    `https://${at}/${rest}`, `http://${at}/${rest}/`, `https://ada@${at}/${rest}`, `https://ada:pass@${at}:443/${rest}`, `https://${at.toUpperCase()}/${rest}`,
    `ssh://git@${at}/${rest}`, `ssh://git@${at}:22/${rest}`, `git+ssh://git@${at}/${rest}`, `git://${at}:9418/${rest}`,
    `git@${at}:${rest}`, `${at}:${rest}`, `${at}/${rest}`, ` https://${at}/${rest}?ref=main#readme `,
  ];
};

describe("the identity of a project [C5]", () => {
  test("of a remote is its host, owner and name, however it is written", () => {
    fc.assert(
      fc.property(host, path, isSuffixed, (at, parts, git) => {
        for (const spelling of spellings(at, parts, git)) expect(projectIdentity(spelling), spelling).toBe(`${at}/${parts.join("/")}`);
      }),
    );
  });

  test("of an identity is itself", () => {
    const any = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }), fc.string({ maxLength: 300 }),
      fc.stringMatching(/^[a-zA-Z@:/\\.~ ?#[\]\d-]{0,40}$/), fc.stringMatching(/^(?:https|ssh|file|C):[/\\]{1,3}[a-z@:/\\.~ ?#[\]\d-]{0,40}$/),
      host.chain((at) => path.map((parts) => `git@${at}:${parts.join("/")}.git.git`)),
    );
    fc.assert(fc.property(any, (given) => {
        expect(projectIdentity(projectIdentity(given))).toBe(projectIdentity(given));
      }), { numRuns: 3_000 });
  });

  test("never holds what a remote says of who reads it", () => {
    const user = fc.stringMatching(/^[A-Za-z0-9._-]{0,10}$/);
    fc.assert(
      fc.property(host, path, user, secret, (at, parts, name, hidden) => {
        const rest = parts.join("/");
        for (const scheme of ["https://", "ssh://", "git+https://", "hg::https://"]) {
          expect(projectIdentity(`${scheme}${name}:${hidden}@${at}/${rest}.git`)).toBe(`${at}/${rest}`);
        }
        for (const given of [`https://${hidden}@${at}/${rest}`, `${name}x:${hidden}@${at}/${rest}`, `${name}x:${hidden}@${at}:${rest}`, `${name}x:${hidden}@${at}`, `https://${at}/${rest}?token=${hidden}`, `https://${at}/${rest}#${hidden}`]) {
          expect(projectIdentity(given), given).not.toContain("s3cr3t");
        }
      }),
      { numRuns: 500 },
    );
  });

  test("of two remotes is never the same", () => {
    const remote = fc.tuple(host, path, fc.nat({ max: 12 }), isSuffixed);
    fc.assert(
      fc.property(remote, remote, ([atA, a, how, gitA], [atB, b, other, gitB]) => {
        const same = atA === atB && a.join("/") === b.join("/");
        const [one, two] = [spellings(atA, a, gitA)[how] as string, spellings(atB, b, gitB)[other] as string];
        expect(projectIdentity(one) === projectIdentity(two)).toBe(same);
      }),
      { numRuns: 500 },
    );
    const longPath = "a".repeat(400);
    expect(projectIdentity(`https://host.com/o/${longPath}`)).not.toBe(projectIdentity(`https://host.com/o/${longPath}b`));
  });

  test("of a folder is its name with a hash of its path, on Windows as elsewhere", () => {
    const parts = fc.array(fc.stringMatching(/^[A-Za-z0-9 ._()-]*[A-Za-z0-9]$/).filter((part) => part.length < 30), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(parts, parts, fc.constantFrom("c", "D"), (a, b, drive) => {
        const name = a.at(-1)?.trim() as string;
        const identity = projectIdentity(`/${a.join("/")}`);
        expect(identity).toMatch(/~[0-9a-f]{12}$/);
        expect(projectName(identity)).toBe(name);
        for (const spelling of [`/${a.join("//")}/`, `/x/../${a.join("/./")}`, `file:///${a.map(encodeURIComponent).join("/")}`, `file://localhost/${a.map(encodeURIComponent).join("/")}`]) expect(projectIdentity(spelling), spelling).toBe(identity);
        const windows = projectIdentity(`${drive}:\\${a.join("\\")}`);
        expect(projectName(windows)).toBe(name);
        for (const spelling of [`${drive.toUpperCase()}:/${a.join("/")}/`, `${drive.toLowerCase()}:\\${a.join("\\")}\\`, `\\\\?\\${drive}:\\${a.join("\\")}`, `file:///${drive}:/${a.map(encodeURIComponent).join("/")}`, `file:///${drive}%3A/${a.map(encodeURIComponent).join("/")}`]) {
          expect(projectIdentity(spelling), spelling).toBe(windows);
        }
        expect(windows).not.toBe(identity);
        expect(projectIdentity(`\\\\server\\${a.join("\\")}`)).not.toBe(windows);
        expect(projectIdentity(`/${b.join("/")}`) === identity).toBe(a.map(String).join("/") === b.join("/"));
      }),
      { numRuns: 300 },
    );
  });

  test("is a name that a namespace takes, unless the text names nothing", () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(host, path).map(([at, parts]) => `git@${at}:${parts.join("/")}`), fc.string({ maxLength: 60 }).map((text) => `/${text}`), fc.string({ maxLength: 500, unit: fc.constantFrom(..."abcä/") }).map((text) => `https://h.com/${text}`)), (given) => {
        expect(projectRule.safeParse(projectIdentity(given)).success, given).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["shop", "shop"], [" shop ", "shop"], ["größe", "größe"], ["acme/shop", "acme/shop"], ["@acme/shop", "@acme/shop"], ["shop:v2", "shop:v2"], ["me@work", "me@work"], ["v1.2", "v1.2"], ["", ""],
    ["git@github.com:123/name", "github.com/123/name"], ["https://Git.Acme.com:8443/Team/Sub/App.git", "git.acme.com:8443/Team/Sub/App"], ["http://localhost:3000/o/n.git", "localhost:3000/o/n"],
    ["https://[2001:DB8::1]:8443/o/n", "[2001:db8::1]:8443/o/n"], ["git@work:acme/shop.git", "work/acme/shop"], ["work:shop.git", "work/shop"], ["https://github.com", "github.com"], ["ssh://host/srv/git/app/.git", "host/srv/git/app"],
    ["https://user:pa/ss@github.com/o/n", "github.com/o/n"], ["github.com/acme/shop/", "github.com/acme/shop"], ["shop/", "shop/"], ["https://", ""],
  ])("of %j is %j", (given, identity) => {
    expect(projectIdentity(given)).toBe(identity);
  });

  test("knows the name that it had before, and no other project that has it now", () => {
    const [a, b] = ["git@github.com:acme/app.git", "git@github.com:globex/app.git"].map(projectIdentity) as [string, string];
    expect([formerNameOf(a), formerNameOf(b), formerNameOf("app"), formerNameOf("acme/app")]).toEqual(["app", "app", undefined, undefined]);
    expect(formerNameOf(projectIdentity("/home/ada/app"))).toBe("app");
    expect([isSameProject(a, "app"), isSameProject("app", b), isSameProject(a, b), isSameProject(a, projectIdentity("/home/ada/app"))]).toEqual([true, true, false, false]);
  });
});
