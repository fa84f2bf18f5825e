import * as z from "zod";

/** GitHub speaks OAuth 2 but not OpenID Connect; under this issuer it is asked in its own way. */
export const githubIssuer = "https://github.com";

const isLoopback = (url: URL): boolean => ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);

const issuer = z.url({ protocol: /^https?$/ }).refine((text) => new URL(text).protocol === "https:" || isLoopback(new URL(text)), {
  message: "an issuer is an https URL (http only on this machine)",
});

/** Who vouches for people, and as whom we ask there. */
export const providerSchema = z.strictObject({
  /** In our addresses; the redirect URI to register there is `<origin>/sign-in/callback/<id>`. */
  id: z.string().regex(/^[a-z0-9-]{1,32}$/),
  /** On the button. */
  name: z.string().min(1).max(50),
  issuer,
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
});

export type UpstreamProvider = z.output<typeof providerSchema>;

export const providersSchema = z.array(providerSchema).max(10).refine((list) => new Set(list.map(({ id }) => id)).size === list.length, { message: "each id is there once" });
