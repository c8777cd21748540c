import fs from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.js";
import { type Shown, startDashboard, TOKEN } from "./support/dashboard.js";
import { expectFit, openDashboard } from "./support/dashboard-page.js";

/** The form of settings, in a real browser, against the real daemon. */

const browser = useBrowser();

const YAML = `# Mine, with care
http: {token: ${TOKEN}}  # the door
session_reset:
    mode: daily   # at night

model: {provider: echo}
hooks:
  webhooks:
    audit: {url: "https://example.org/x", secret: s3cret-of-the-hook}
`;

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

const SOON = { timeout: 20_000 };
const start = (yaml = YAML) => startDashboard({ days: 0, traffic: 0, yaml });
const file = ({ daemon }: Shown, name = "config.yaml") => fs.readFileSync(daemon.file(name), "utf8");
const setting = (page: Page, path: string) => page.locator(`[data-path="${path}"]`);
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const find = (page: Page, words: string) => page.getByLabel("Find a setting").fill(words);
const operators = ({ daemon }: Shown) =>
  daemon.run.logged("operator").map(({ action, keys }) => ({ action, keys }));

async function set(page: Page, path: string, value: string): Promise<void> {
  await find(page, path);
  const control = setting(page, path).locator("input, textarea, select");
  if (await control.evaluate((one) => one.matches("select"))) await control.selectOption(value);
  else await control.fill(value);
}

describe("the settings", () => {
  it("are changed with their comments kept, after the diff was shown", async () => {
    const shown = await start();
    const page = await openDashboard(browser(), shown, "/config");
    await setting(page, "session_reset.mode").getByText("config.yaml:4").waitFor();
    await expectFit(page);
    await set(page, "session_reset.mode", "idle");
    await set(page, "session_reset.idle_minutes", "45");
    await set(page, "owners", `web:ann\ntelegram:${HOSTILE}`);
    await set(page, "platform_toolsets", "telegram: web, memory\nweb: web");
    await set(page, "allow_all", "true");
    await page.getByText("5 changes").waitFor();
    await expectFit(page);
    await button(page, "Review").click();
    await page.getByRole("heading", { name: "What will be written" }).waitFor();
    expect(file(shown)).toBe(YAML);
    const diff = await page.locator(".diff").allTextContents();
    expect(diff.join("")).toContain("mode: idle   # at night");
    await expectFit(page);
    await button(page, "Write config.yaml").click();
    await page.getByText("Saved. Restart the gateway").waitFor();
    expect(file(shown)).toBe(
      YAML.replace("mode: daily ", "mode: idle ").replace(
        "# at night\n",
        "# at night\n    idle_minutes: 45\n",
      ) +
        `owners: [web:ann, telegram:${HOSTILE}]\nallow_all: true\n` +
        "platform_toolsets: {telegram: [web, memory], web: [web]}\n",
    );
    await page.getByText("5 settings in the files need a restart").waitFor();
    await find(page, "");
    await setting(page, "owners").getByText("after a restart").waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(operators(shown)).toEqual([
      {
        action: "settings",
        keys: [
          "owners",
          "allow_all",
          "session_reset.mode",
          "session_reset.idle_minutes",
          "platform_toolsets",
        ],
      },
    ]);

    await shown.daemon.restart();
    await page.reload();
    await setting(page, "owners").waitFor();
    await expect.poll(() => page.getByText("after a restart").count()).toBe(0);
    await button(page, "Use the default of owners").click();
    await button(page, "Review").click();
    await button(page, "Write config.yaml").click();
    await expect.poll(() => file(shown), SOON).not.toContain("owners");
    await expectFit(page);
  }, 120_000);

  it("say every fault at its field, and write nothing", async () => {
    const shown = await start();
    const page = await openDashboard(browser(), shown, "/config?show=all");
    await find(page, "http.port");
    await setting(page, "http.port").getByText("Set by flag").waitFor();
    await set(page, "agent.max_turns", "many");
    await set(page, "timezone", "Mars/Olympus");
    await set(page, "model.provider", "openai");
    await button(page, "Review").click();
    await setting(page, "agent.max_turns").getByText("is not a").waitFor();
    await setting(page, "timezone").getByText("is not an IANA time zone").waitFor();
    await setting(page, "model.default").getByRole("alert").waitFor();
    await page.getByText("3 errors: nothing can be saved").waitFor();
    await expectFit(page);
    expect(file(shown)).toBe(YAML);
  }, 120_000);

  it("tell what is wrong with a file that was broken by hand, and can mend what they can edit", async () => {
    const shown = await start();
    fs.writeFileSync(shown.daemon.file("config.yaml"), `${YAML}log: {level: loud}\nno_such_key: 1\n`);
    const page = await openDashboard(browser(), shown, "/config");
    await setting(page, "log.level").getByText('"loud" is not one of').waitFor();
    await page.getByText("no_such_key is not a known key").waitFor();
    await expectFit(page);
    fs.writeFileSync(shown.daemon.file("config.yaml"), `${YAML}log: {level: loud}\n`);
    await page.reload();
    await set(page, "log.level", "warn");
    await button(page, "Review").click();
    await button(page, "Write config.yaml").click();
    await expect.poll(() => file(shown), SOON).toBe(`${YAML}log: {level: warn}\n`);

    fs.writeFileSync(shown.daemon.file("config.yaml"), "http: {token\n: [");
    await page.reload();
    await page
      .getByText(/is not YAML/)
      .first()
      .waitFor();
    await set(page, "log.level", "debug");
    await button(page, "Review").click();
    await page.getByText(/config.yaml is not a mapping of keys/).waitFor();
    expect(file(shown)).toBe("http: {token\n: [");
  }, 120_000);

  it("never send a secret to the browser, and put a new one into .env", async () => {
    const shown = await start();
    fs.writeFileSync(shown.daemon.file(".env"), "# keys\nPLAIN=plain-secret-value\n", { mode: 0o600 });
    const page = await openDashboard(browser(), shown, "/config");
    await setting(page, "http.token").waitFor();
    const answers: Promise<string>[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/api/dashboard/settings")) answers.push(response.text());
    });
    await page.reload();
    await setting(page, "http.token").getByText("**** (set)").waitFor();
    await setting(page, "hooks.webhooks").getByText("Too complex for this form").waitFor();
    await set(page, "model.api_key", "sk-new-key-for-the-model");
    await button(page, "Review").click();
    await page.getByText("HERMES_MODEL_API_KEY=****").waitFor();
    await button(page, "Write .env").click();
    await page.getByText("Saved. Restart the gateway").waitFor();
    expect(file(shown, ".env")).toBe(
      "# keys\nPLAIN=plain-secret-value\nHERMES_MODEL_API_KEY=sk-new-key-for-the-model\n",
    );
    expect(file(shown)).toBe(YAML);
    expect(fs.statSync(shown.daemon.file(".env")).mode & 0o777).toBe(0o600);
    await setting(page, "model.api_key").getByText(".env:3").waitFor();
    const seen = (await Promise.all(answers)).join("\n") + (await page.content());
    expect(answers.length).toBeGreaterThan(2);
    for (const secret of [TOKEN, "s3cret-of-the-hook", "plain-secret-value", "sk-new-key"])
      expect(seen).not.toContain(secret);
    expect(shown.daemon.run.stderr).not.toContain("sk-new-key");
  }, 120_000);

  it("are not written over a change that was made meanwhile", async () => {
    const shown = await start();
    const page = await openDashboard(browser(), shown, "/config");
    await setting(page, "http.token").waitFor();
    await set(page, "log.level", "debug");
    await button(page, "Review").click();
    await button(page, "Write config.yaml").waitFor();
    const mine = `${YAML}timezone: Europe/Berlin\n`;
    fs.writeFileSync(shown.daemon.file("config.yaml"), mine);
    await button(page, "Write config.yaml").click();
    await page.getByText("config.yaml or .env has changed since this page read it").waitFor();
    expect(file(shown)).toBe(mine);
    await button(page, "Try again").click();
    await page.getByText("1 change", { exact: true }).waitFor();
    await find(page, "");
    await setting(page, "timezone").getByText("config.yaml:10").waitFor();
    await button(page, "Review").click();
    await button(page, "Write config.yaml").click();
    await expect.poll(() => file(shown), SOON).toBe(`${mine}log:\n  level: debug\n`);
  }, 120_000);

  it("are not lost when the page is left, unless the operator says so", async () => {
    const shown = await start();
    const page = await openDashboard(browser(), shown, "/log");
    const menu = (name: string) => page.getByRole("link", { name, exact: true });
    const title = (name: string) => page.getByRole("heading", { level: 1, name }).waitFor();
    const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
    const stay = async () => {
      await dialog.getByText("1 change will be lost.").waitFor();
      await dialog.getByRole("button", { name: "Stay on this page" }).click();
      await dialog.waitFor({ state: "detached" });
      expect(new URL(page.url()).pathname).toBe("/dashboard/config");
      await page.getByText("1 change", { exact: true }).waitFor();
    };
    await menu("Settings").click();
    await title("Settings");
    await set(page, "log.level", "debug");
    await menu("Sessions").click();
    await dialog.waitFor();
    await expectFit(page);
    await stay();
    await page.evaluate("history.back()");
    await stay();
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    const question = await asked;
    expect(question.type()).toBe("beforeunload");
    await question.dismiss();

    await page.evaluate("history.back()");
    await dialog.getByRole("button", { name: "Discard and leave" }).click();
    await title("Log");
    await page.evaluate("history.forward()");
    await title("Settings");
    await find(page, "log.level");
    expect(await setting(page, "log.level").locator("select").inputValue()).toBe("info");
    await menu("Sessions").click();
    await title("Sessions");
    await expect.poll(() => dialog.count()).toBe(0);
  }, 120_000);

  it("are whole after kill -9 during the write: the old file or the new one", async () => {
    const secret = { path: "web.brave_api_key", value: "key-of-the-search" };
    const changes = [{ path: "log.level", value: "debug" }, secret];
    const headers = { "content-type": "application/json" };
    for (const [point, isNew] of [
      ["file-ready:1", { env: false, config: false }],
      ["secrets-written", { env: true, config: false }],
      ["file-ready:2", { env: true, config: false }],
    ] as const) {
      const shown = await start();
      await shown.daemon.restart({ HERMES_KILL_AT: point });
      const { version } = await shown.get<{ version: string }>("/settings");
      const save = shown.ask("/api/dashboard/settings/save", {
        method: "POST",
        headers,
        body: JSON.stringify({ version, changes }),
      });
      await expect(save).rejects.toThrow();
      expect(await shown.daemon.run.ended, point).toEqual({ code: null, signal: "SIGKILL" });
      const env = fs.existsSync(shown.daemon.file(".env")) ? file(shown, ".env") : "";
      expect(env, point).toBe(isNew.env ? "BRAVE_SEARCH_API_KEY=key-of-the-search\n" : "");
      expect(file(shown), point).toBe(isNew.config ? `${YAML}log:\n  level: debug\n` : YAML);
      await shown.daemon.start();
      const again = await shown.get<{ version: string }>("/settings");
      const saved = await shown.ask("/api/dashboard/settings/save", {
        method: "POST",
        headers,
        body: JSON.stringify({ version: again.version, changes }),
      });
      expect(saved.status, saved.text).toBe(200);
      expect(file(shown), point).toBe(`${YAML}log:\n  level: debug\n`);
    }
  }, 120_000);
});
