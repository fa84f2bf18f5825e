import type { Context } from "hono";
import { showPage } from "../web/pages/layout.tsx";
import { redirectKind, redirectName } from "./redirects.ts";

/**
 * Tells a client that its request is wrong. Anyone may register one, with any address, so a request made wrong on purpose
 * would turn this server into a way to anywhere under our name (RFC 9700 section 4.11.2): people are sent on by themselves
 * only to ports of their own machine, and otherwise see where the link leads.
 */
export function backToClient(c: Context, redirectTo: string, description: string): Response {
  const kind = redirectKind(redirectTo);
  if (kind === "loopback") return c.redirect(redirectTo);
  return showPage(c, {
    title: "This request for access is not valid",
    status: 400,
    body: (
      <>
        <h1>This request for access is not valid</h1>
        <p>{description}.</p>
        <p>
          You can <a href={redirectTo}>tell the client at {kind === "web" ? new URL(redirectTo).host : redirectName(redirectTo)}</a>, if that is where you come from.
        </p>
      </>
    ),
  });
}

/**
 * Hands the client what the person decided. A browser that opens a program stays where it was, so a program's own scheme is
 * opened from a page that says so, and that offers a link where the browser wants a click for it.
 */
export function sendDecision(c: Context, redirectTo: string): Response {
  if (redirectKind(redirectTo) !== "private-use") return c.redirect(redirectTo, 303);
  const name = redirectName(redirectTo);
  const page = showPage(c, {
    title: "Back to the client",
    body: (
      <>
        <h1>Back to the client</h1>
        <p>
          Your browser now opens the program registered for <strong>{name}</strong> on this computer. You can close this page then.
        </p>
        <p>
          If nothing happens, <a href={redirectTo}>open {name}</a>.
        </p>
      </>
    ),
  });
  page.headers.set("refresh", `0;url=${redirectTo}`);
  return page;
}
