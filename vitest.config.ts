import { defineConfig } from "vitest/config";
import { BROWSER_TESTS, E2E_TESTS } from "./test/projects.js";
import { noonZone } from "./test/support/noon-zone.js";
import { tempFolder } from "./test/support/temp-folder.js";

export default defineConfig({
  resolve: {
    alias: {
      // The examples import the package by its name. Threads and processes load the compiled files instead.
      "hermes-gateway/plugin": new URL("src/plugin.ts", import.meta.url).pathname,
      "hermes-gateway": new URL("src/index.ts", import.meta.url).pathname,
      "better-sqlite3": new URL("test/support/better-sqlite3.ts", import.meta.url).pathname,
    },
  },
  test: {
    // The zone keeps daily resets, midnight and clock changes away from the tests.
    env: { TZ: noonZone(new Date()), TMPDIR: tempFolder() },
    pool: "forks",
    // Loading the modules again for every file takes longer than most tests.
    isolate: false,
    setupFiles: "test/support/restore.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The default of one second is too short for a busy machine.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          env: { TEST_PROJECT: "unit" },
          include: ["test/**/*.test.ts"],
          exclude: [...E2E_TESTS, ...BROWSER_TESTS],
          globalSetup: "test/support/bundle-program.ts",
          // Many tests wait for emulated platforms.
          maxWorkers: 4,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: E2E_TESTS,
          exclude: BROWSER_TESTS,
          globalSetup: "test/support/build-program.ts",
          // These tests wait for processes and timers most of the time.
          maxWorkers: 4,
          testTimeout: 120_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: BROWSER_TESTS,
          globalSetup: "test/support/build-program.ts",
          maxWorkers: 3,
          testTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
