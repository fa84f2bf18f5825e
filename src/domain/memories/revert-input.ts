import * as z from "zod";
import * as field from "./fields.ts";

const selected = {
  author: field.filled("author", 100).optional(),
  tool: field.filled("tool", 200).optional(),
  session: field.filled("session", 200).optional(),
  request: field.filled("request", 100).optional(),
  since: field.instant.optional(),
  until: field.instant.optional(),
};

/** What a caller may ask to be reverted, in the names of the wire. */
export const revertInput = z
  .strictObject({
    ...selected,
    confirm: field.filled("confirm", 100).optional(),
    undo: field.filled("undo", 100).optional(),
  })
  .refine(({ undo, ...rest }) => undo === undefined || Object.values(rest).every((value) => value === undefined), {
    path: ["undo"],
    message: "undo takes the id of a revert and nothing beside it",
  });
export type RevertArguments = z.output<typeof revertInput>;
