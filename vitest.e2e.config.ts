import { defineConfig } from "vitest/config";

/** Tests that start the product as a person does and talk to it with real clients; plain Node. */
export default defineConfig({
  test: {
    include: ["test/*.test.ts", "test/{launcher,e2e,evals}/**/*.test.ts"],
    testTimeout: 120_000,
    // A poll ends as soon as it has what it waits for; how long that takes is up to the machine.
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 120_000,
    // Each file starts servers of its own; on two cores more of them side by side only wait for each other.
    maxWorkers: 2,
  },
});
