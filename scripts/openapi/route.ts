import type * as z from "zod";
import type { Scope } from "../../src/domain/tenancy/principal.ts";

/** What the document says of one route; who may call it, and what it takes, are the same values that the server checks. */
export interface Route {
  /** Name of the method in generated clients. */
  readonly id: string;
  readonly says: string;
  /** Scopes of a key; `person`: no key will do. `nobody`: open to everybody. */
  readonly needs: readonly Scope[] | "person" | "nobody";
  /** A browser's session does not do. */
  readonly by?: "key";
  readonly query?: z.ZodType;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: z.ZodType;
  /** Of a body that is no JSON document. */
  readonly bodyType?: string;
  readonly status?: 200 | 201 | 202;
  /** A schema; or the media type of what has none. */
  readonly answer: z.ZodType | string;
  /** The media type that is answered instead where `accept` asks for it. */
  readonly alternative?: string;
  /** Errors of this route beside those of all. */
  readonly refuses?: readonly (404 | 409)[];
}

export type Routes = Readonly<Record<string, Route>>;

export const read = ["memory:read"] as const;
export const write = ["memory:write"] as const;
export const admin = ["memory:admin"] as const;
export const readAndWrite = ["memory:write", "memory:read"] as const;
export const readAndAdmin = ["memory:admin", "memory:read"] as const;
