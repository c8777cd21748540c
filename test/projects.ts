/**
 * The projects of vitest.config.ts. Tests that start the compiled program, or another process that loads `dist/`, belong to
 * `e2e`; tests that drive Chromium belong to `browser`; all others are `unit`.
 */
export const BROWSER_TESTS = [
  "test/chat-page/*browser.test.ts",
  "test/demo/demo.test.ts",
  "test/emulators/try.test.ts",
  "test/http/docs-browser.test.ts",
  "test/http/dashboard-{actions,browser,*-browser}.test.ts",
  "test/http/oidc-browser.test.ts",
];

/** Storms, properties with thousands of runs, servers of others: too long for the inner loop, so they run with `e2e`. */
const LONG_TESTS = [
  "test/adapters/discord/chaos.test.ts",
  "test/adapters/email/dovecot.test.ts",
  "test/adapters/slack/{faults,rough-weather}.test.ts",
  "test/config/faults.test.ts",
  "test/gateway/isolation.test.ts",
  "test/growth.test.ts",
  "test/pipeline/parts.test.ts",
  "test/store/{people-properties,query-properties,search-by-time}.test.ts",
];

export const E2E_TESTS = [
  ...LONG_TESTS,
  "test/e2e/**/*.test.ts",
  "test/agents/registry.test.ts",
  "test/backup/backup.test.ts",
  "test/chaos/{chaos,tools}.test.ts",
  "test/adapters/new-platform.test.ts",
  "test/cli/adopt/{adopt,first-start}.test.ts",
  "test/cli/chat/chat.test.ts",
  "test/cli/doctor/network.test.ts",
  "test/cli/{process,terminal}.test.ts",
  "test/cli/setup/interview.test.ts",
  "test/examples/*.test.ts",
  "test/home-modes.test.ts",
  "test/http/{dashboard,security}.test.ts",
  "test/lock.test.ts",
  "test/log.test.ts",
  "test/plugins/restore.test.ts",
  "test/sessions/index-file.test.ts",
  "test/ship/{image,pack,service}.test.ts",
  "test/store/{faults,layout,long-queries,maintenance,migrate,reads,shared}.test.ts",
];
