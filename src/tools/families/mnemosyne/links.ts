import * as z from "zod";
import type { LinkInput, UnlinkInput } from "../../../domain/graph/link.ts";
import * as field from "../../../domain/memories/fields.ts";
import { linkType } from "./words.ts";

const most = 50;

/** The document's MemoryLink, from the memory that is written. */
export const links = z
  .array(z.strictObject({ target_id: field.memoryRef, link_type: linkType, strength: field.fraction.default(1), reason: field.phrase("reason", 500).default("") }))
  .max(most, `at most ${most} links`);

export const removedLinks = z.array(z.strictObject({ target_id: field.memoryRef, link_type: linkType.optional() })).max(most, `at most ${most} links`);

export const toLinks = (given: z.output<typeof links> = []): LinkInput =>
  given.map(({ target_id, link_type, strength, reason }) => ({ to: target_id, type: link_type, strength, reason }));

export const toUnlinks = (given: z.output<typeof removedLinks> = []): UnlinkInput =>
  given.map(({ target_id, link_type }) => ({ to: target_id, type: link_type }));
