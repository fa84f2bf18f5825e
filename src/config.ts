import * as z from "zod";

const list = z
  .string()
  .default("")
  .transform((text) => text.split(",").map((item) => item.trim()).filter(Boolean));

const schema = z
  .object({
    ENVIRONMENT: z.enum(["local", "production"]),
    /** `off` lifts the limit per key, for measuring on one's own machine. */
    OMNIMEMORY_RATE_LIMIT: z.enum(["on", "off"]).default("on"),
    /** Host names under which the server may be addressed, besides localhost when local. */
    ALLOWED_HOSTS: list,
    /** Host names of web pages whose scripts may call the server, besides localhost when local. */
    ALLOWED_ORIGINS: list,
  })
  .refine((env) => env.ENVIRONMENT !== "production" || env.OMNIMEMORY_RATE_LIMIT === "on", {
    message: "OMNIMEMORY_RATE_LIMIT=off is for local measuring; a production deployment does not start with it",
    path: ["OMNIMEMORY_RATE_LIMIT"],
  })
  .refine((env) => env.ENVIRONMENT !== "production" || env.ALLOWED_HOSTS.length > 0, {
    message: "production needs ALLOWED_HOSTS, the host names of this deployment, separated by commas",
    path: ["ALLOWED_HOSTS"],
  });

export interface Config {
  production: boolean;
  rateLimited: boolean;
  allowedHosts: string[];
  allowedOrigins: string[];
}

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** @throws when the configuration is wrong, so that the Worker does not start with it */
export function parseConfig(env: unknown): Config {
  const parsed = schema.safeParse(env);
  if (!parsed.success) throw new Error(`OmniMemory cannot start: ${z.prettifyError(parsed.error)}`);
  const { ENVIRONMENT, OMNIMEMORY_RATE_LIMIT, ALLOWED_HOSTS, ALLOWED_ORIGINS } = parsed.data;
  const production = ENVIRONMENT === "production";
  const own = production ? [] : loopback;
  return {
    production,
    rateLimited: OMNIMEMORY_RATE_LIMIT === "on",
    allowedHosts: [...own, ...ALLOWED_HOSTS],
    // A page of the server itself may call it, too.
    allowedOrigins: [...own, ...ALLOWED_HOSTS, ...ALLOWED_ORIGINS],
  };
}
