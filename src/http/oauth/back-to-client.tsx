import type { Context } from "hono";
import { showPage } from "../web/pages/layout.tsx";

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Tells a client that its request is wrong. Anyone may register one, with any address, so a request made wrong on purpose
 * would turn this server into a way to anywhere under our name (RFC 9700 section 4.11.2): people are sent on by themselves
 * only to programs of their own machine, and otherwise see where the link leads.
 */
export function backToClient(c: Context, redirectTo: string, description: string): Response {
  const { hostname, host, protocol } = new URL(redirectTo);
  if (protocol === "http:" && loopback.has(hostname)) return c.redirect(redirectTo);
  return showPage(c, {
    title: "This request for access is not valid",
    status: 400,
    body: (
      <>
        <h1>This request for access is not valid</h1>
        <p>{description}.</p>
        <p>
          You can <a href={redirectTo}>tell the client at {host}</a>, if that is where you come from.
        </p>
      </>
    ),
  });
}
