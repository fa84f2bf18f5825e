import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from "wrangler";
import { messageOf } from "./start-failure.ts";

/**
 * Prints the Worker's options for Miniflare, made from wrangler.toml by wrangler itself. A program of its own: importing
 * wrangler takes a second and some 100 MB, which the server need not carry (worker-options.ts keeps the answer).
 */
const [configPath = ""] = process.argv.slice(2);
try {
  const config = unstable_readConfig({ config: configPath });
  const { workerOptions } = unstable_getMiniflareWorkerOptions(configPath);
  // `vars` as written, without .dev.vars: secrets do not belong in a cache. The launcher takes OMNIMEMORY_* from the environment.
  process.stdout.write(JSON.stringify({ ...workerOptions, name: config.name, bindings: config.vars }));
} catch (error) {
  process.stderr.write(messageOf(error));
  process.exitCode = 1;
}
