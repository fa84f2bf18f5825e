import { build } from "./build.ts";
import { startWrangler } from "./wrangler.ts";

/** `npm run deploy [-- wrangler.curator.toml [option of wrangler deploy …]]` builds a Worker and has wrangler deploy it. */
const [config = "wrangler.toml", ...options] = process.argv.slice(2);
const deployment = startWrangler(...(await build(config)), ...options);
deployment.once("exit", (code) => {
  process.exitCode = code ?? 1;
});
