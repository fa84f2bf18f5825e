import type { Scope } from "../../../domain/tenancy/principal.ts";

/** What a client may do with a scope, as people read it. */
export const scopeMeaning: Record<Scope, string> = {
  "memory:read": "Read and search memories",
  "memory:write": "Store, change and forget memories",
  "memory:admin": "Administer the team's memories, where you may",
};
