import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { buildPackage } from "../../../scripts/package/build.ts";
import { ClaudeCode } from "./claude-code.ts";
import { Product } from "./product.ts";

/** The product, and the command of the package as it is built, while the tests of a file run. */
export class Command {
  readonly #folder = mkdtempSync(join(tmpdir(), "omnimemory-dist-"));
  #product: Product | undefined;

  constructor() {
    beforeAll(async () => {
      [this.#product] = await Promise.all([Product.start(), buildPackage(this.#folder)]);
    });
    afterAll(async () => {
      await this.#product?.remove();
      rmSync(this.#folder, { recursive: true, force: true });
    });
  }

  get product(): Product {
    if (!this.#product) throw new Error("The product runs within tests only");
    return this.#product;
  }

  /** The machine of a person who knows the server and has its key. */
  machine(): ClaudeCode {
    return new ClaudeCode(join(this.#folder, "omnimemory.js"), { OMNIMEMORY_URL: this.product.url().origin, OMNIMEMORY_KEY: this.product.apiKey });
  }
}
