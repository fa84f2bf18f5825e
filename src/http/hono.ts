import type { Env } from "hono";
import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";

/** Hono with one router. The package's own preset brings three and chooses among them at the first request; one is a kilobyte and a half less to compile at every start. */
export class Hono<E extends Env = Env> extends HonoBase<E> {
  constructor(options: { strict?: boolean } = {}) {
    super({ ...options, router: new TrieRouter() });
  }
}
