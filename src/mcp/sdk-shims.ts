import type { JsonSchemaValidator, jsonSchemaValidator } from "@modelcontextprotocol/server";

/**
 * Takes the place of `@modelcontextprotocol/server/_shims` in the Worker's bundle (`alias` in wrangler.toml and in src/launcher/bundle.ts).
 * The SDK's own module for workerd builds every schema of both protocol eras while the Worker starts, 13 ms of CPU at each cold start;
 * without it the SDK builds them at first use.
 */

/**
 * The SDK validates nothing here but what a person answered to a form of ours, which `confirmation.ts` parses itself: a validator of
 * JSON Schema would be a hundredth of the bundle for that.
 */
export class DefaultJsonSchemaValidator implements jsonSchemaValidator {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  }
}

/** Standard input and output, which a Worker has none of. */
export const process = {};
