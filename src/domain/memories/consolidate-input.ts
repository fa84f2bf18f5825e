import * as z from "zod";
import * as field from "./fields.ts";

/** What a caller may ask of a consolidation, in the names of the wire. */
export const consolidateInput = z.strictObject({
  namespace: field.namespace.optional(),
  limit: z.number().int().min(1).max(200).default(50),
  /** Where the answer before stopped. */
  cursor: z.uuid().toLowerCase().optional().meta({ listed: { type: "string" } }),
  confirm: field.filled("confirm", 100).optional(),
});
