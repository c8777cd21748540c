import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.js";
import { type Shown, startDashboard, TOKEN } from "./support/dashboard.js";
import { expectFit, openDashboard } from "./support/dashboard-page.js";
import { ask } from "./support/request.js";

/** Backups, schedules and hooks, in a real browser, against the real daemon. */

const browser = useBrowser();
const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const SOON = { timeout: 20_000 };
const LONG = "w".repeat(300);

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
const actions = ({ daemon }: Shown) => daemon.run.logged("operator").map(({ action }) => action);
const isSafe = async (page: Page) => expect(await page.evaluate("window.hacked")).toBeUndefined();

describe("backups", () => {
  it("are made, downloaded and deleted", async () => {
    const shown = await startDashboard({ days: 2 });
    const { daemon } = shown;
    const page = await openDashboard(browser(), shown, "/backups");
    await page.getByText("No backups yet").waitFor();
    await page.getByText("Automatic backups are off").waitFor();
    await expectFit(page);
    await button(page, "Back up now").click();
    await page.locator(".list > li").waitFor();
    await page.locator(".backup-running").waitFor({ state: "detached" });
    const [name = ""] = fs.readdirSync(daemon.file("backups"));
    expect(name).toMatch(/^hermes-\d{8}_\d{6}\.tar\.gz$/);
    await page.getByText(`hermes restore ${daemon.file("backups", name)}`).waitFor();
    await expectFit(page);

    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: /^Download/ }).click();
    const taken = fs.readFileSync(await (await download).path());
    expect(taken.equals(fs.readFileSync(daemon.file("backups", name)))).toBe(true);

    await button(page, /^Delete/).click();
    await page.getByText("The file is lost.").waitFor();
    expect(fs.existsSync(daemon.file("backups", name))).toBe(true);
    await expectFit(page);
    await button(page, "Delete now").click();
    await page.getByText("No backups yet").waitFor();
    expect(fs.readdirSync(daemon.file("backups"))).toEqual([]);
    expect(actions(shown)).toEqual(["backup", "download-backup", "delete-backup"]);
  }, 120_000);

  it("are of the folder alone, one at a time, and tell why one failed", async () => {
    const shown = await startDashboard({
      days: 0,
      traffic: 0,
      yaml: `http: {token: ${TOKEN}}\nbackup: {folder: elsewhere, every_hours: 24}\n`,
    });
    const { daemon } = shown;
    await expect
      .poll(async () => (await shown.get<{ backups: unknown[] }>("/backups")).backups.length, SOON)
      .toBe(1);
    const post = (what: string, body: object) =>
      shown.ask(`/api/dashboard/backups/${what}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    for (const name of ["../state.db", "state.db", "hermes-20260101_000000.tar.gz/../../config.yaml"])
      expect((await post("delete", { name })).status).toBe(400);
    expect((await post("delete", { name: "hermes-20260101_000000.tar.gz" })).status).toBe(404);
    for (const name of ["..%2fconfig.yaml", "config.yaml", "hermes-20260101_000000.tar.gz"])
      expect((await shown.ask(`/api/dashboard/backups/${name}`)).status).toBe(404);
    expect(fs.existsSync(daemon.file("state.db"))).toBe(true);

    const both = await Promise.all([post("create", {}), post("create", {})]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const page = await openDashboard(browser(), shown, "/backups");
    await page.getByText("A backup every 24 hours").waitFor();
    await expect.poll(() => page.locator(".list > li").count(), SOON).toBe(2);

    fs.rmSync(daemon.file("elsewhere"), { recursive: true });
    fs.writeFileSync(daemon.file("elsewhere"), "in the way");
    await button(page, "Back up now").click();
    await page.getByText(/failed: The backup can't be written/).waitFor();
    await expectFit(page);
  }, 120_000);
});

describe("schedules", () => {
  it("are made, run, paused, resumed, edited and deleted", async () => {
    const shown = await startDashboard({ days: 0, traffic: 0 });
    const page = await openDashboard(browser(), shown, "/schedules");
    await page.getByText("No schedules yet").waitFor();
    await button(page, "New schedule").click();
    await expectFit(page);
    await page.getByLabel(/^When/).fill("every so often");
    await page.getByLabel(/^Prompt/).fill(`Say hello ${HOSTILE} ${LONG}`);
    await page.getByLabel(/^Name/).fill("greeting");
    await button(page, "Add").click();
    await page.getByText(/Invalid time "every so often"/).waitFor();
    await page.getByLabel(/^When/).fill("0 9 * * 1-5");
    await page.getByLabel(/^Time zone/).fill("Europe/Berlin");
    await button(page, "Add").click();
    const card = page.locator('[data-schedule="greeting"]');
    await card.getByText("0 9 * * 1-5").waitFor();
    await card.getByText("has not run yet").waitFor();
    await expectFit(page);
    await isSafe(page);

    await button(page, /^Run now/).click();
    await card
      .getByText(/^last run/)
      .getByText("done")
      .waitFor();
    await card.getByText("Last runs").click();
    await card.locator(".schedule-runs li").waitFor();
    await card.getByText("on request").first().waitFor();
    await expectFit(page);

    await button(page, /^Pause/).click();
    await card.getByText("paused", { exact: true }).first().waitFor();
    await button(page, /^Resume/).click();
    await card.getByText("active", { exact: true }).waitFor();

    await button(page, /^Edit/).click();
    await page.getByLabel(/^When/).fill("every 30m");
    await page.getByLabel("A run that was missed").selectOption("skip");
    await expectFit(page);
    await button(page, "Save").click();
    await card.getByText("every 30m").waitFor();
    await card.getByText("missed runs are skipped").waitFor();
    await card.getByText("Europe/Berlin").waitFor();

    await button(page, /^Delete/).click();
    await page.getByText("If it is running, that run is cancelled.").waitFor();
    await button(page, "Delete now").click();
    await page.getByText("No schedules yet").waitFor();
    expect(actions(shown)).toEqual([
      "schedules/create",
      "add-schedule",
      "run-schedule",
      "pause-schedule",
      "resume-schedule",
      "edit-schedule",
      "delete-schedule",
    ]);
  }, 120_000);
});

describe("hooks", () => {
  it("are shown with what became of their calls", async () => {
    const yaml = `http: {token: ${TOKEN}}
hooks:
  webhooks:
    audit: {url: "http://ann:secret-of-ann@127.0.0.1:9/x", events: ["session:*"], retries: 0}
webhooks:
  ci: {secret: s3cret, signature: token, prompt: "Look at {{@name}}", deliver: local}
`;
    const shown = await startDashboard({ days: 0, traffic: 0, yaml });
    const { daemon } = shown;
    const hook = (name: string, manifest: string, handler?: string) => {
      const dir = daemon.file("hooks", name);
      fs.mkdirSync(dir, { recursive: true });
      fs.writeFileSync(path.join(dir, "HOOK.yaml"), manifest);
      if (handler !== undefined) fs.writeFileSync(path.join(dir, "handler.mjs"), handler);
    };
    hook(
      "good",
      `description: "Fine ${HOSTILE.replaceAll('"', "'")}"\nevents: [agent:end]\n`,
      "export const handle = () => {};",
    );
    hook(
      "bad",
      "events: [agent:end]\n",
      `export const handle = () => { throw new Error(${JSON.stringify(HOSTILE + LONG)}); };`,
    );
    hook("empty", "events: []\n");
    await daemon.restart();
    const page = await openDashboard(browser(), shown, "/hooks");
    const row = (name: string) => page.locator(`[data-hook="${name}"]`);
    await row("good").getByText("not called yet").waitFor();
    await row("empty").getByText("not loaded").waitFor();
    await row("empty").getByText("lists no events").waitFor();
    await row("ci").getByText("not called recently").waitFor();
    expect(await page.content()).not.toContain("secret-of-ann");

    const called = await ask(`${daemon.url}/webhooks/ci`, {
      method: "POST",
      headers: { authorization: "Bearer s3cret", "content-type": "application/json" },
      body: "{}",
    });
    expect(called.status).toBe(202);
    await row("ci").getByText("done", { exact: true }).waitFor();
    await row("good").getByText("1 call succeeded").waitFor();
    await row("bad").getByText("1 call failed").waitFor();
    await row("bad")
      .getByText(/agent:end: .*<img src=x/)
      .waitFor();
    await row("webhook:audit").getByText("failed", { exact: true }).waitFor();
    await expectFit(page);
    await isSafe(page);
    await row("ci")
      .getByRole("link", { name: /last call/ })
      .click();
    await page.locator(".timeline li").first().waitFor();
  }, 120_000);
});
