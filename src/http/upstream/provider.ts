import * as z from "zod";
import { inLowerCase } from "../../domain/tenancy/allow-list.ts";

/** GitHub speaks OAuth 2 but not OpenID Connect; under this issuer it is asked in its own way. */
export const githubIssuer = "https://github.com";

const isLoopback = (url: URL): boolean => ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);

const buildIssuer = () => z.url({ protocol: /^https?$/ }).refine((text) => new URL(text).protocol === "https:" || isLoopback(new URL(text)), {
  message: "an issuer is an https URL (http only on this machine)",
});

const buildAllowed = () => z
  .string()
  .trim()
  .regex(/^[^\s@",;*]*@[^\s@",;*]+\.[^\s@",;.*]+$/, 'is a mail domain with its @ ("@example.com") or an address ("ada@example.org")')
  .transform(inLowerCase);

/** Who vouches for people, and as whom we ask there. */
const buildProvider = () => z.strictObject({
  /** In our addresses; the redirect URI to register there is `<origin>/sign-in/callback/<id>`. */
  id: z.string().regex(/^[a-z0-9-]{1,32}$/),
  /** On the button. */
  name: z.string().min(1).max(50),
  issuer: buildIssuer(),
  client_id: z.string().min(1),
  client_secret: z.string().min(1),
  /** Who may sign in there, by an address that the issuer has verified; everybody it vouches for without. */
  allow: z.array(buildAllowed(), { error: 'is a list of mail domains ("@example.com") and addresses ("ada@example.org")' })
    .min(1, "lets nobody in when it is empty; name somebody, or leave it out to let everybody in").optional(),
});

/** Built when there is a provider to read: most servers start with none. */
const providerSchema = z.lazy(buildProvider);

export type UpstreamProvider = z.output<typeof providerSchema>;

export const providersSchema = z.array(providerSchema).max(10).refine((list) => new Set(list.map(({ id }) => id)).size === list.length, { message: "each id is there once" });
