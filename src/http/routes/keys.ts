import { Hono } from "hono";
import * as z from "zod";
import type { Services } from "../../app.ts";
import { createKey, defaultLifetimeDays, listKeys, maxGraceHours, maxLifetimeDays, revokeKey, rotateKey, type KeyContext } from "../../domain/tenancy/keys.ts";
import { scopes } from "../../domain/tenancy/principal.ts";
import { invalid } from "../../domain/errors.ts";
import { describeProblems } from "../../mcp/errors.ts";
import { bearerToken, proveCredential } from "../credentials.ts";
import { invalidCredential, keyChallenge, noCredential } from "../errors.ts";

interface KeyRoutes {
  Variables: { requestId: string; keyContext: KeyContext };
}

const creation = z.strictObject({
  name: z.string().trim().min(1).max(100),
  scopes: z.array(z.enum(scopes)).min(1),
  expires_in_days: z.number().int().min(1).max(maxLifetimeDays).default(defaultLifetimeDays),
});
const rotation = z.strictObject({ grace_hours: z.number().min(0).max(maxGraceHours).optional() });

/** API keys over REST: create (shown once), list, rotate with grace, revoke. The domain asks for memory:admin. */
export function keyRoutes(services: Services): Hono<KeyRoutes> {
  const app = new Hono<KeyRoutes>();

  app.use(async (c, next) => {
    const requestId = c.get("requestId");
    const token = bearerToken(c.req.header("authorization"));
    if (token === undefined) return noCredential(requestId, keyChallenge);
    const now = Date.now();
    const address = c.req.header("cf-connecting-ip");
    // Access tokens are for MCP; a client does not make itself keys with them.
    const presented = { token, requestId, address, resource: undefined };
    const proof = await proveCredential(services, { keys: services.keys, tokens: services.oauth }, presented, (work) => c.executionCtx.waitUntil(work), now);
    if (proof.kind !== "ok") return invalidCredential(requestId, keyChallenge);
    c.set("keyContext", { principal: proof.principal, now, keys: services.keys, from: { requestId, ...(address ? { address } : {}) } });
    return next();
  });

  app.get("/", async (c) => c.json({ keys: await listKeys(c.get("keyContext")) }));
  app.post("/", async (c) => {
    const input = await parsed(c.req.raw, creation);
    const issued = await createKey(c.get("keyContext"), { name: input.name, scopes: input.scopes, expiresInDays: input.expires_in_days });
    return c.json(issued, 201);
  });
  app.post("/:keyId/rotate", async (c) => {
    const input = await parsed(c.req.raw, rotation);
    const grace = input.grace_hours === undefined ? {} : { graceHours: input.grace_hours };
    return c.json(await rotateKey(c.get("keyContext"), { keyId: c.req.param("keyId"), ...grace }), 201);
  });
  app.delete("/:keyId", async (c) => c.json(await revokeKey(c.get("keyContext"), { keyId: c.req.param("keyId") })));
  return app;
}

const maxBodyBytes = 16_384;

async function parsed<T extends z.ZodType>(request: Request, schema: T): Promise<z.output<T>> {
  const text = await request.text();
  if (text.length > maxBodyBytes) throw invalid("The body is too large.");
  let body: unknown;
  try {
    body = text === "" ? {} : JSON.parse(text);
  } catch {
    throw invalid("The body is not JSON.", "Send a JSON object.");
  }
  const result = schema.safeParse(body);
  if (!result.success) throw invalid(describeProblems(result.error));
  return result.data;
}
