import * as z from "zod";
import { json, named, say } from "../../../../domain/frame.ts";
import { exportSession, withQrCode } from "../../../../domain/sessions/passports.ts";
import { passphrase, sessionRef } from "../../../../domain/sessions/session-fields.ts";
import { additive, defineTool } from "../../../define-tool.ts";

/** OmniMemory document 3.5. */
export const exportSessionTool = defineTool({
  name: "omn_export_session",
  title: "Export a session",
  description: "The session as Memory Passport (signed JSON, encrypted by a passphrase) and link (qr: its picture); omn_restore_session takes both.",
  scope: "memory:write",
  annotations: additive,
  isStep: false,
  input: z.strictObject({ session_id: sessionRef.optional(), passphrase: passphrase.optional(), qr: z.boolean().optional() }),
  output: z.looseObject({ session_id: z.string(), passport: z.union([z.string(), z.looseObject({})]).meta({ listed: { description: "JSON or JWE" } }), encrypted: z.boolean().meta({ listed: null }), export_url: z.string().meta({ listed: null }), size_bytes: z.number().meta({ listed: null }) }),
  async handler(ctx, { session_id: id, passphrase: secret, qr }) {
    const exported = await exportSession(ctx, { id, passphrase: secret, qr });
    const { session, passport, carried, url } = exported;
    const isEncrypted = secret !== undefined;
    return {
      structured: { session_id: session.id, ...withQrCode(exported, isEncrypted), encrypted: isEncrypted, export_url: url, size_bytes: new TextEncoder().encode(carried).byteLength, passport_export_count: session.exports },
      text: say`Memory Passport of session ${session.id} in project ${named(session.project)}. Its link opens the session once, within ten minutes, for this person: ${url} (in a browser, or as passport of omn_restore_session). Or hand omn_restore_session this as it stands:\n${isEncrypted ? carried : json(passport)}`,
    };
  },
});
