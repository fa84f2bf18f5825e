import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { ensureLocalKey, renewLocalKey } from "../../src/launcher/local-identity.ts";
import { revokeKey, rotateKey } from "../../src/domain/tenancy/keys.ts";
import { login, principalOf } from "../domain/tenancy/tenant.ts";
import { D1DirectoryStore } from "../../src/platform/d1/directory-store.ts";
import { scopes } from "../../src/domain/tenancy/principal.ts";

const store = new D1DirectoryStore(env.DB);
const day = 86_400_000;
const now = Date.now();
const ensure = (known: string | undefined, at = now) => ensureLocalKey(store, ["SHARD_0"], known, at);
const idOf = (token: string): string => token.slice(4, 20);

/** As the page does it for who signed in: with all that they may do. */
const onThePage = async (token: string) => ({ principal: { ...(await principalOf(token)), scopes }, now, keys: store });

test("a key that its person replaced on the page is not renewed, and the successor they hold is left alone", async () => {
  const { token } = await ensure(undefined);
  const { token: successor } = await rotateKey(await onThePage(token), { keyId: idOf(token), graceHours: 24 });
  await renewLocalKey(store, token, now + day / 2);
  const next = await ensure(token, now + day / 2);
  expect(next).toMatchObject({ notice: "The one before was replaced." });
  expect([(await login(token, now + 2 * day)).kind, (await login(successor, now + 2 * day)).kind, (await login(next.token, now + 2 * day)).kind]).toEqual(["expired", "ok", "ok"]);
});

test("a key that its person revoked on the page is not renewed but replaced", async () => {
  const { token } = await ensure(undefined);
  await revokeKey(await onThePage(token), { keyId: idOf(token) });
  await renewLocalKey(store, token, now + 2 * day);
  expect(await ensure(token, now + 2 * day)).toMatchObject({ token: expect.not.stringContaining(idOf(token)), notice: "The one before is revoked." });
  expect((await login(token, now + 2 * day)).kind).toBe("revoked");
});

test("a key that its person made and put into local.json stays as they made it", async () => {
  const { token } = await ensure(undefined);
  await env.DB.prepare("update api_keys set name = 'mine', expires_at = null where key_id = ?").bind(idOf(token)).run();
  await renewLocalKey(store, token, now + 2 * day);
  expect(await ensure(token, now + 2 * day)).toEqual({ token, expiresAt: null });
});

test("a key is renewed once a day at most, so that starts do not fill the audit", async () => {
  const { token, expiresAt } = await ensure(undefined);
  expect((await ensure(token, now + day / 2)).expiresAt).toBe(expiresAt);
  expect((await ensure(token, now + day)).expiresAt).toBe((expiresAt ?? 0) + day);
  await ensure(token, now + day);
  const { results } = await env.DB.prepare("select action, client from audit where subject = ? and action = 'key.renew'").bind(idOf(token)).all();
  expect(results).toEqual([{ action: "key.renew", client: "launcher" }]);
});
