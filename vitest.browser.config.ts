import { defineConfig } from "vitest/config";

/** Tests that start the product as a person does and use its pages in Chromium; plain Node. */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    testTimeout: 60_000,
    // A poll ends as soon as it has what it waits for; how long that takes is up to the machine.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 120_000,
    // Each file starts a server and a browser.
    maxWorkers: 2,
  },
});
