/**
 * Takes the place of `@modelcontextprotocol/server/_shims` in the Worker's bundle (`alias` in wrangler.toml and in src/launcher/bundle.ts).
 * The SDK's own module for workerd builds every schema of both protocol eras while the Worker starts, 13 ms of CPU at each cold start;
 * without it the SDK builds them at first use.
 */
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";

/** Standard input and output, which a Worker has none of. */
export const process = {};
