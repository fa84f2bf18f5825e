import * as z from "zod";
import type { Message } from "../../intelligence/intelligence.ts";
import { grouped, instant, metadata, phrase } from "../fields.ts";

/** Of one call. What is longer is added in several. */
const most = { messages: 100, parts: 50, text: 8_000, together: 40_000, address: 2_000 } as const;

/** A message as it was given: what is said in words goes to the rules or the model, and all of it into the record. */
export interface GivenMessage extends Message {
  /** The texts with a line for each picture. */
  whole: string;
  metadata?: z.output<typeof metadata> | undefined;
}

/** What is to be kept sealed is no part of what a session or a record says in the clear. */
export const isSecret = ({ metadata: own }: GivenMessage): boolean => own?.sensitivity === "secret";

const bytesRefused =
  "holds the bytes of an image, which are not stored: describe it in a text part, or give the https address where it is kept (it is noted, and never fetched)";

/** Where a picture is, without what may be a credential: user, query and fragment. */
const imageAddress = z.string().transform((given, context) => {
  const refuse = (message: string): string => {
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  };
  if (/^\s*data:/i.test(given)) return refuse(bytesRefused);
  if (given.length > most.address) return refuse(`must have at most ${grouped(most.address)} characters`);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return refuse("must be an http or https address");
  return `${url.origin}${url.pathname}`;
});

/** Whatever stands for one of a list, or for its only property, so that an error names what is wrong and not just that something is. */
const asList = (given: unknown): unknown => (typeof given === "string" ? [{ type: "text", text: given }] : given);
const asAddress = (given: unknown): unknown => (typeof given === "string" ? { url: given } : given);

const image = z.preprocess(asAddress, z.strictObject({ url: imageAddress, detail: z.enum(["low", "high", "auto"]).optional() }));
const part = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: phrase("text", most.text) }),
  z.strictObject({ type: z.literal("image"), image_url: image }),
  z.strictObject({ type: z.literal("image_url"), image_url: image }),
]);

const name = phrase("name", 100).refine((value) => value.trim() !== "" && !/[\n:：]/.test(value), { message: "must be a name on one line, without a colon" });

const message = z
  .strictObject({
    role: z.enum(["system", "user", "assistant"]),
    content: z.preprocess(asList, z.array(part).min(1).max(most.parts)),
    name: name.optional(),
    timestamp: instant.optional(),
    metadata: metadata.optional(),
  })
  .transform(({ role, content, name: speaker, timestamp, metadata: own }): GivenMessage => {
    const lines = content.map((one) => (one.type === "text" ? one.text : `[image: ${one.image_url.url}]`));
    const texts = content.flatMap((one) => (one.type === "text" ? one.text : []));
    return {
      role,
      text: texts.join("\n"),
      whole: lines.join("\n"),
      ...(speaker === undefined ? {} : { name: speaker.trim() }),
      ...(timestamp === undefined ? {} : { at: timestamp }),
      ...(own === undefined ? {} : { metadata: own }),
    };
  });

/** Messages of the memory-server document (section 3), or one text that a person says. */
export const messagesInput = z.preprocess(
  (given) => (typeof given === "string" ? [{ role: "user", content: given }] : given),
  z
    .array(message)
    .min(1, "must hold a message")
    .max(most.messages, `at most ${most.messages} messages; add the others in another call`)
    .pipe(
      z
        .array(z.custom<GivenMessage>())
        .refine((given) => given.some(({ whole }) => whole.trim() !== ""), { message: "must say something" })
        .refine((given) => given.reduce((sum, { whole }) => sum + whole.length, 0) <= most.together, {
          message: `must have at most ${grouped(most.together)} characters together; add them in several calls`,
        }),
    ),
);
