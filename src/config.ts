import * as z from "zod";
import { defaultQuota, type TeamQuota } from "./domain/memories/quota.ts";
import type { MasterKey } from "./domain/secrets/master-keys.ts";
import { providersSchema, type UpstreamProvider } from "./http/upstream/provider.ts";
import type { EmbeddingsOptions } from "./platform/ai/embedders.ts";

const list = z
  .string()
  .default("")
  .transform((text) => text.split(",").map((item) => item.trim()).filter(Boolean));

/** A variable that is set to nothing is not set. */
const optional = z.string().trim().transform((text) => text || undefined).optional();

const json = z.string().default("[]").transform((text, ctx): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    ctx.addIssue({ code: "custom", message: "is not JSON" });
    return z.NEVER;
  }
});

/** As in the OmniMemory document: $0.015 for a thousand tokens. */
const defaultTokenPrice = 0.015;

/** 32 bytes: 43 digits and what fills up. */
const masterKeysSchema = z
  .array(
    z.strictObject({
      id: z.string().regex(/^[\w.-]{1,40}$/, "is 1–40 letters, digits, dots, hyphens or underscores"),
      key: z.string().regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, "is not 32 bytes in base64; make one with: openssl rand -base64 32"),
    }),
    { error: "is a JSON list of {id, key}" },
  )
  .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, { message: "has an id twice" })
  .transform((keys): MasterKey[] => keys.map(({ id, key }) => ({ id, secret: Uint8Array.from(atob(key), (character) => character.charCodeAt(0)) })));

const schema = z
  .object({
    ENVIRONMENT: z.enum(["local", "production"]),
    /** `off` lifts the limit per key, for measuring on one's own machine. */
    OMNIMEMORY_RATE_LIMIT: z.enum(["on", "off"]).default("on"),
    /** Host names under which the server may be addressed, besides localhost when local. */
    ALLOWED_HOSTS: list,
    /** Host names of web pages whose scripts may call the server, besides localhost when local. */
    ALLOWED_ORIGINS: list,
    /** How many memories a team may store, and how many bytes of text with all their versions. */
    TEAM_MAX_MEMORIES: optional.pipe(z.coerce.number<string>().int().min(1).default(defaultQuota.maxMemories)),
    TEAM_MAX_BYTES: optional.pipe(z.coerce.number<string>().int().min(1_000_000).default(defaultQuota.maxBytes)),
    /** Who turns text into vectors. */
    EMBEDDINGS: z.enum(["workers-ai", "openai"]).default("workers-ai"),
    EMBEDDINGS_MODEL: optional,
    /** Needed for models the product does not know. At most what Vectorize stores. */
    EMBEDDINGS_DIMENSIONS: optional.pipe(z.coerce.number<string>().int().min(1).max(1_536).optional()),
    /** URL of any API of OpenAI's form, up to its version: http://127.0.0.1:11434/v1 is a local Ollama. */
    EMBEDDINGS_URL: optional.pipe(z.url({ protocol: /^https?$/ }).optional()),
    EMBEDDINGS_API_KEY: optional,
    /** Texts per request to that API; OpenAI takes 2,048. */
    EMBEDDINGS_BATCH: z.coerce.number().int().min(1).max(2_048).default(64),
    /** A reranking model of Workers AI that reads the best of each search, or `off`. */
    RERANK_MODEL: optional,
    /** How much older than the newest match a memory is when its recency counts half. */
    RECENCY_HALF_LIFE_DAYS: optional.pipe(z.coerce.number<string>().min(1).max(36_500).optional()),
    /** Dollars for a thousand tokens of a model's input: what a token that nobody had to read is worth. */
    TOKEN_PRICE_PER_1K: optional.pipe(z.coerce.number<string>().min(0).max(1_000).default(defaultTokenPrice)),
    /**
     * The keys that wrap the keys of secrets: a JSON list of `{id, key}`, the current one first; `key` is 32 bytes in base64.
     * It is a secret.
     */
    MASTER_KEYS: json.pipe(masterKeysSchema),
    /** Who vouches for people: a JSON list; it holds secrets, so it is one. */
    SIGN_IN_PROVIDERS: json.pipe(providersSchema),
  })
  .refine((env) => env.EMBEDDINGS !== "openai" || (env.EMBEDDINGS_URL && env.EMBEDDINGS_MODEL && env.EMBEDDINGS_DIMENSIONS), {
    message: "EMBEDDINGS=openai needs EMBEDDINGS_URL, EMBEDDINGS_MODEL and EMBEDDINGS_DIMENSIONS",
    path: ["EMBEDDINGS"],
  })
  .refine((env) => env.ENVIRONMENT !== "production" || env.OMNIMEMORY_RATE_LIMIT === "on", {
    message: "OMNIMEMORY_RATE_LIMIT=off is for local measuring; a production deployment does not start with it",
    path: ["OMNIMEMORY_RATE_LIMIT"],
  })
  .refine((env) => env.ENVIRONMENT !== "production" || env.SIGN_IN_PROVIDERS.every(({ issuer }) => issuer.startsWith("https:")), {
    message: "in production every issuer is an https URL",
    path: ["SIGN_IN_PROVIDERS"],
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
  /** Host names of pages of others, to whose scripts a browser gives the answers (CORS). */
  pageHosts: string[];
  teamQuota: TeamQuota;
  embeddings: EmbeddingsOptions;
  rerankModel: string | undefined;
  /** ms. */
  recencyHalfLife: number | undefined;
  /** Dollars for a thousand tokens. */
  tokenPrice: number;
  signInProviders: UpstreamProvider[];
  /** Without one, nothing secret is stored. */
  masterKeys: MasterKey[];
}

const dayMs = 24 * 60 * 60 * 1_000;
const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** @throws when the configuration is wrong, so that the Worker does not start with it */
export function parseConfig(env: unknown): Config {
  const parsed = schema.safeParse(env);
  if (!parsed.success) throw new Error(`OmniMemory cannot start: ${z.prettifyError(parsed.error)}`);
  const { ENVIRONMENT, OMNIMEMORY_RATE_LIMIT, ALLOWED_HOSTS, ALLOWED_ORIGINS, RECENCY_HALF_LIFE_DAYS } = parsed.data;
  const production = ENVIRONMENT === "production";
  const own = production ? [] : loopback;
  return {
    production,
    rateLimited: OMNIMEMORY_RATE_LIMIT === "on",
    allowedHosts: [...own, ...ALLOWED_HOSTS],
    // A page of the server itself may call it, too.
    allowedOrigins: [...own, ...ALLOWED_HOSTS, ...ALLOWED_ORIGINS],
    pageHosts: ALLOWED_ORIGINS,
    teamQuota: { maxMemories: parsed.data.TEAM_MAX_MEMORIES, maxBytes: parsed.data.TEAM_MAX_BYTES },
    masterKeys: parsed.data.MASTER_KEYS,
    signInProviders: parsed.data.SIGN_IN_PROVIDERS,
    embeddings: {
      provider: parsed.data.EMBEDDINGS,
      model: parsed.data.EMBEDDINGS_MODEL,
      dimensions: parsed.data.EMBEDDINGS_DIMENSIONS,
      url: parsed.data.EMBEDDINGS_URL,
      apiKey: parsed.data.EMBEDDINGS_API_KEY,
      batch: parsed.data.EMBEDDINGS_BATCH,
    },
    rerankModel: parsed.data.RERANK_MODEL,
    tokenPrice: parsed.data.TOKEN_PRICE_PER_1K,
    recencyHalfLife: RECENCY_HALF_LIFE_DAYS === undefined ? undefined : RECENCY_HALF_LIFE_DAYS * dayMs,
  };
}
