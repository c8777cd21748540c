import { defineConfig } from "vitest/config";
import { noonZone } from "./test/support/noon-zone.js";

export default defineConfig({
  // The examples' own word for it; threads and processes run the compiled one.
  resolve: { alias: { "hermes-gateway": new URL("src/index.ts", import.meta.url).pathname } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: "test/support/build.ts",
    // Nobody's daily reset, midnight or clock change comes in the middle of a test.
    env: { TZ: noonZone(new Date()) },
    pool: "forks",
    // Tests wait for processes more than they compute: one core's worth of them leaves the machine idle.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
