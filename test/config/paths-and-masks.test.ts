import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { maskSecrets } from "../../src/config/mask.js";
import { ensureHome, homePaths, resolveHome } from "../../src/config/paths.js";
import { HermesError } from "../../src/errors.js";
import { temporaryHome } from "./temp-home.js";

test("the home is HERMES_HOME or ~/.hermes, and always absolute", () => {
  expect(resolveHome({ HOME: "/home/me" })).toBe("/home/me/.hermes");
  expect(resolveHome({ HOME: "/home/me", HERMES_HOME: " " })).toBe("/home/me/.hermes");
  expect(resolveHome({ HOME: "/home/me", HERMES_HOME: "~/x" })).toBe("/home/me/x");
  expect(resolveHome({ HOME: "/home/me", HERMES_HOME: "~" })).toBe("/home/me");
  expect(resolveHome({ HOME: "/home/me", HERMES_HOME: "rel" })).toBe(resolve("rel"));
  expect(resolveHome({ HERMES_HOME: "/srv/hermes/" })).toBe("/srv/hermes");
});

test("files have Hermes' names", () => {
  expect(homePaths("/h")).toEqual({
    home: "/h",
    stateDb: "/h/state.db",
    configFile: "/h/config.yaml",
    envFile: "/h/.env",
    sessionsDir: "/h/sessions",
    sessionsIndex: "/h/sessions/sessions.json",
    memoriesDir: "/h/memories",
    hooksDir: "/h/hooks",
    pluginsDir: "/h/plugins",
    backupsDir: "/h/backups",
    lockFile: "/h/gateway.lock",
    logsDir: "/h/logs",
    dashboardToken: "/h/dashboard.token",
    chatHistory: "/h/chat_history",
  });
});

test("creates the home with mode 0700 and keeps the mode of an existing one", () => {
  const home = join(temporaryHome(), "a", "home");
  ensureHome(home);
  expect(statSync(home).mode & 0o777).toBe(0o700);
  const shared = join(temporaryHome(), "shared");
  mkdirSync(shared);
  chmodSync(shared, 0o755);
  ensureHome(shared);
  expect(statSync(shared).mode & 0o777).toBe(0o755);
});

test("reports a file in place of the home", () => {
  const path = join(temporaryHome(), "file");
  writeFileSync(path, "");
  expect(() => ensureHome(path)).toThrow(HermesError);
});

test("masks values with names of secrets and nothing else", () => {
  expect(
    maskSecrets({
      http: { token: "short", port: 1 },
      slack: { signing_secret: null, app_token: "xapp-0123456789abcdefghij" },
      extra: { apiKey: 5, password: { inner: ["a"] }, base_url: "https://me:pw@host/x" },
      resume_max_user_chars: 3,
      acp: { env: { OPENROUTER_KEY: "sk-1", EDITOR: "vi" } },
    }),
  ).toEqual({
    http: { token: "****", port: 1 },
    slack: { signing_secret: null, app_token: "****ghij" },
    extra: { apiKey: "****", password: { inner: ["****"] }, base_url: "https://****@host/x" },
    resume_max_user_chars: 3,
    acp: { env: { OPENROUTER_KEY: "****", EDITOR: "vi" } },
  });
});
