import type { Services } from "../../app.ts";
import { keySetOf } from "../../domain/sessions/issuer-keys.ts";
import { Hono } from "../hono.ts";

export const keySetPath = "/.well-known/jwks.json";

/** The public keys by which other servers prove passports of this one. */
export function wellKnownRoutes({ passports }: Services): Hono {
  const app = new Hono();
  app.get(keySetPath, async (c) => c.json(keySetOf(await passports.issuerKeys.published()), 200, { "cache-control": "public, max-age=300" }));
  return app;
}
