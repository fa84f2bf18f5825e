import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { showPage } from "./layout.tsx";

/** Says what is wrong, and what the person can do about it. The request id is for whoever helps them. */
export const errorPage = (c: Context, status: ContentfulStatusCode, what: string, advice: string): Response =>
  showPage(c, {
    title: what,
    status,
    body: (
      <>
        <h1>{what}</h1>
        <p>{advice}</p>
        <p>
          <a href="/">To the start page</a>
        </p>
        <p class="aside">Request {String(c.get("requestId"))}</p>
      </>
    ),
  });
