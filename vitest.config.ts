import { defineConfig } from "vitest/config";
import { noonZone } from "./test/support/noon-zone.js";

export default defineConfig({
  resolve: {
    alias: {
      // The examples' own word for it; threads and processes run the compiled one.
      "hermes-gateway": new URL("src/index.ts", import.meta.url).pathname,
      "better-sqlite3": new URL("test/support/better-sqlite3.ts", import.meta.url).pathname,
    },
  },
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
