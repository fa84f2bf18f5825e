import type { Scope } from "../../../domain/tenancy/principal.ts";

/** The rights of a scope, as people read them. */
export const scopeMeaning: Record<Scope, string> = {
  "memory:read": "Read and search memories",
  "memory:write": "Store, change and forget memories",
  "memory:admin": "Administer the team's memories, where you may",
};
