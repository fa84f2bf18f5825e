import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Issuer } from "../e2e/support/issuers.ts";
import type { Product } from "../e2e/support/product.ts";
import { startChromium } from "./support/chromium.ts";
import { expectSound, unfold } from "./support/page-checks.ts";
import { Profile } from "./support/profile.ts";
import { signInAtIssuer, startWithIssuer } from "./support/with-issuer.ts";

let product: Product;
let idp: Issuer;
let browser: Browser;
let owner: Profile;
beforeAll(async () => {
  [{ product, idp }, browser] = await Promise.all([startWithIssuer(), startChromium()]);
  owner = await Profile.signedIn(browser, product, { width: 390 });
});
afterAll(async () => {
  idp.close();
  await Promise.all([browser.close(), product.remove()]);
});

const check = (name: string, { page }: Profile = owner): Promise<void> => expectSound(page, name, [1_280, 390]);

/** All that is folded, by no click: the Tab key would go on from there. */
const open = ({ page }: Profile, name: string): Promise<void> => page.locator("summary").filter({ hasText: name }).first().click();

test("an owner invites by link, revokes, and learns on the page why the last owner stays [A13] [S11]", async () => {
  const { team } = await owner.post("/v1/organizations", { name: "Lab" });

  await owner.visit("/");
  await check("home-with-members");
  await owner.page.getByRole("link", { name: "Members of Lab" }).click();
  await owner.expectHeading("Members of Lab");
  await check("team-alone");

  await owner.page.getByRole("combobox", { name: "They join as" }).selectOption("viewer");
  await owner.page.getByRole("combobox", { name: "The link works for" }).selectOption("1");
  await owner.press("Make the link");
  await owner.expectHeading("Your invitation to Lab");
  await check("team-invitation");
  const link = await owner.page.locator("code").innerText();
  expect(link).toMatch(/\/invitation\?token=\w{43}$/);
  await owner.page.reload();
  expect(await owner.page.locator("code").innerText(), "a form that is sent again makes the same").toBe(link);
  await owner.page.getByRole("link", { name: "All members" }).click();
  await owner.page.getByText("As viewer").waitFor();

  await unfold(owner.page);
  await check("team-unfolded");

  await owner.page.getByRole("combobox", { name: /^Role of/ }).selectOption("member");
  await owner.press(/^Change the role of/);
  await owner.expectHeading("A team always has an owner, and this is the last one.");
  await check("team-last-owner");
  await owner.page.getByRole("link", { name: "All members" }).click();
  await open(owner, "Leave the team");
  await owner.press("Leave it now");
  await owner.expectHeading("A team always has an owner, and this is the last one.");
  await owner.page.getByRole("link", { name: "All members" }).click();

  await open(owner, "Revoke it");
  await owner.press("Revoke the invitation as viewer");
  await owner.page.getByRole("status").getByText("Revoked: ").waitFor();
  await owner.page.getByText("None.").waitFor();
  await check("team-revoked");
  await owner.visit(new URL(link).pathname + new URL(link).search);
  await owner.expectHeading("This invitation cannot be accepted");

  await owner.visit(`/memories/${team.id}`);
  await owner.page.getByRole("link", { name: "Members", exact: true }).click();
  await owner.expectHeading("Members of Lab");
  expect(owner.complaints).toEqual([]);
});

test("a guest joins by the link, is made an admin, sees what admins see, and leaves; another is removed [A13] [S11]", async () => {
  await owner.visit("/");
  await owner.page.getByRole("link", { name: "Members of Local" }).click();
  await owner.page.getByLabel("Its name").fill("Yard");
  await owner.press("Make the team");
  await owner.expectHeading("Members of Yard");
  const page = new URL(owner.page.url()).pathname;
  const invite = async (role: string): Promise<string> => {
    await owner.visit(page);
    await owner.page.getByRole("combobox", { name: "They join as" }).selectOption(role);
    await owner.press("Make the link");
    const { pathname, search } = new URL(await owner.page.locator("code").innerText());
    return pathname + search;
  };
  const guest = async (login: string, role: string): Promise<Profile> => {
    const profile = await Profile.open(browser, product, { width: 390 });
    profile.allowRequestsTo(idp.issuer);
    await profile.visit(await invite(role));
    await profile.page.getByRole("link", { name: "Sign in" }).click();
    await profile.press("Sign in with Example");
    await signInAtIssuer(profile, login);
    await profile.press("Join the team");
    await profile.page.getByRole("link", { name: "Members of Yard" }).click();
    await profile.expectHeading("Members of Yard");
    return profile;
  };
  const grace = await guest("grace", "viewer");
  await check("team-as-viewer", grace);
  expect(await grace.page.getByRole("heading", { name: "Open invitations" }).count()).toBe(0);
  const walter = await guest("w".repeat(60), "member");

  await owner.visit(page);
  await unfold(owner.page);
  await check("team-as-owner");
  await owner.page.getByRole("combobox", { name: "Role of grace of the issuer" }).selectOption("admin");
  await owner.press("Change the role of grace of the issuer");
  await owner.page.getByRole("status").getByText("The role is changed.").waitFor();
  await owner.page.locator("summary[aria-label^='Remove w']").click();

  await grace.visit(page);
  await grace.page.getByRole("heading", { name: "Open invitations" }).waitFor();
  await check("team-as-admin", grace);
  await owner.press(/^Remove w.* from the team$/);
  await owner.page.getByRole("status").getByText("Removed: they are in the team no more.").waitFor();
  expect(await walter.visit(page)).toBe(404);
  await walter.expectHeading("You are in no such team.");

  await open(grace, "Leave the team");
  await grace.press("Leave it now");
  await grace.expectHeading("Your account");
  expect(await grace.page.getByRole("link", { name: "Members of Yard" }).count()).toBe(0);
  expect(await grace.visit(page)).toBe(404);
  for (const { complaints } of [owner, grace, walter]) expect(complaints).toEqual([]);
});
