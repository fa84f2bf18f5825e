import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Audience } from "../../security-headers.ts";

interface LayoutProps {
  title: string;
  children: Child;
}

const Layout = ({ title, children }: LayoutProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title} – OmniMemory</title>
      <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/style.css" />
    </head>
    <body>
      <main>{children}</main>
    </body>
  </html>
);

interface PageProps {
  title: string;
  body: Child;
  status?: ContentfulStatusCode;
  audience?: Exclude<Audience, "api">;
}

/** Answers with a page. Everything in it is escaped by JSX. */
export function showPage(c: Context, { title, body, status = 200, audience = "page" }: PageProps): Response {
  c.set("audience", audience);
  return c.body(`<!doctype html>${<Layout title={title}>{body}</Layout>}`, status, { "content-type": "text/html; charset=utf-8" });
}
