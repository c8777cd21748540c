import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Forked processes with tsx loaded: worker threads started from the sources then run TypeScript too.
    pool: "forks",
    execArgv: ["--import", "tsx"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
