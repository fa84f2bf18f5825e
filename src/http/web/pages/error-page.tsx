import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { DomainError } from "../../../domain/errors.ts";
import { statusOf } from "../../errors.ts";
import { showPage } from "./layout.tsx";

interface Onward {
  /** Instead of the one to the account page. */
  link?: { href: string; target?: string; children: string };
}

/** A text that cannot be saved. */
export const Written = ({ text }: { text: string }) => (
  <>
    <h2>What you wrote</h2>
    <p class="text" dir="auto">
      {text}
    </p>
  </>
);

/** Says what is wrong, and what the person can do about it; what they gave (`written`) is not lost. The request id is for whoever helps them. */
export const errorPage = (c: Context, status: ContentfulStatusCode, what: string, advice: string, { link = { href: "/", children: "Your account" } }: Onward = {}): Response =>
  showPage(c, {
    title: what,
    status,
    body: (
      <>
        <h1>{what}</h1>
        <p>{advice}</p>
        <p>
          <a {...link} />
        </p>
        {c.get("written") as Child}
        <p class="aside">Request {String(c.get("requestId"))}</p>
      </>
    ),
  });

/** The same of an error that says it by itself. */
export const problemPage = (c: Context, { code, message, hint = "Go back and try again." }: DomainError): Response => errorPage(c, statusOf[code], message, hint);
