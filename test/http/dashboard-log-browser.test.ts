import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RestartAnswer } from "../../src/http/dashboard/operations-types.js";
import { TelegramEmulator } from "../emulators/telegram/index.js";
import { useBrowser } from "../support/browser.js";
import { Supervisor } from "../support/supervisor.js";
import { WebClient } from "../support/web-client.js";
import { startDashboard, TOKEN } from "./support/dashboard.js";
import { expectFit, openDashboard } from "./support/dashboard-page.js";
import { EventReader } from "./support/events.js";

/** The live log and the restart, in a real browser, against the real daemon. */

const browser = useBrowser();
const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> ${"x".repeat(400)}`;

const lines = (page: Page, text: string) => page.locator(".log-line", { hasText: text });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe("the live log", () => {
  it("shows lines as they come, filtered, paused, linked to traces, with hostile text as text", async () => {
    const telegram = await new TelegramEmulator({ token: "4200:AAemulated-token-value" }).start();
    onTestFinished(() => telegram.close());
    const settings = { ...telegram.settings, allow_all: true };
    const yaml = `http: {token: ${TOKEN}}\nlog: {level: debug}\nplatforms:\n  telegram: ${JSON.stringify(settings)}\n`;
    const shown = await startDashboard({ days: 0, traffic: 0, yaml });
    const page = await openDashboard(browser(), shown, "/log");
    await lines(page, "gateway started").waitFor();

    const ann = telegram.users.person("Ann");
    telegram.faults.fail("sendMessage", 400, `Bad Request: ${HOSTILE} ${telegram.token}`);
    telegram.users.writeDm(ann, "a private word");
    await lines(page, "onerror=").first().waitFor();
    await expectFit(page);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    const text = (await page.locator(".log").textContent())!;
    expect(text).not.toContain("a private word");
    expect(text).not.toContain(telegram.token);

    await page.getByLabel("Level").selectOption("warn");
    await expect.poll(() => lines(page, "gateway started").count()).toBe(0);
    await lines(page, "onerror=").first().waitFor();
    await page.getByLabel("Area").selectOption("gateway");
    await page.getByText("No matching lines yet").waitFor();
    await page.getByLabel("Level").selectOption("");
    await lines(page, "gateway started").waitFor();
    await page.getByLabel("Area").selectOption("");
    await page.getByLabel("Lines that contain").fill("ACCEPTED");
    await expect.poll(() => lines(page, "gateway started").count()).toBe(0);
    await lines(page, "accepted").waitFor();
    await expect.poll(() => page.url()).toContain("text=ACCEPTED");

    await button(page, "Pause").click();
    telegram.users.writeDm(ann, "another");
    await page.getByText("Paused, 1 new line").waitFor();
    await expect.poll(() => lines(page, "accepted").count()).toBe(1);
    await button(page, "Resume").click();
    await expect.poll(() => lines(page, "accepted").count()).toBe(2);

    await lines(page, "accepted").first().getByRole("link", { name: "trace" }).click();
    await page.locator(".timeline li").first().waitFor();
  }, 120_000);

  it("keeps a bounded number of lines in the page", async () => {
    const shown = await startDashboard({ days: 0, traffic: 0 });
    const page = await openDashboard(browser(), shown, "/log?area=operator");
    await page.getByText("No matching lines yet").waitFor();
    const headers = { "content-type": "application/json" };
    const refused = () => shown.ask("/api/dashboard/dead/discard", { method: "POST", headers, body: "{}" });
    for (let n = 0; n < 21; n += 1) await Promise.all(Array.from({ length: 50 }, refused));
    await page.getByText("50 earlier lines left out").waitFor();
    await expect.poll(() => page.locator(".log-line").count()).toBe(1000);
  }, 60_000);

  it("goes on after kill -9", async () => {
    const yaml = `http: {token: ${TOKEN}}\nlog: {level: debug}\n`;
    const shown = await startDashboard({ days: 0, traffic: 0, yaml });
    const page = await openDashboard(browser(), shown, "/log?area=web&text=accepted");
    const ann = new WebClient(shown.daemon.url, { token: TOKEN });
    await ann.send("hello");
    await lines(page, "accepted").waitFor();
    await shown.daemon.kill();
    await page.getByText("Reconnecting").first().waitFor();
    await shown.daemon.start();
    await ann.send("again");
    await expect.poll(() => lines(page, "accepted").count(), { timeout: 30_000 }).toBe(2);
  }, 120_000);

  it("serves a bounded number of pages, and those that leave make room", async () => {
    const shown = await startDashboard({ days: 0, traffic: 0 });
    const url = `${shown.daemon.url}/api/dashboard/log/live`;
    const headers = { authorization: `Bearer ${TOKEN}` };
    const readers = await Promise.all(Array.from({ length: 32 }, () => EventReader.open(url, headers)));
    onTestFinished(() => {
      for (const reader of readers) reader.close();
    });
    for (const reader of readers) expect((await reader.next("start")).data).toMatchObject({ skipped: 0 });
    expect((await shown.ask("/api/dashboard/log/live")).status).toBe(503);
    readers.pop()!.close();
    const again = async () => {
      const reader = await EventReader.open(url, headers);
      if (reader.status === 200) readers.push(reader);
      else reader.close();
      return reader.status;
    };
    await expect.poll(again).toBe(200);
    expect((await shown.ask("/api/dashboard/log/live?level=loud")).status).toBe(400);
  }, 60_000);
});

describe("a restart", () => {
  it("is done by the supervisor, and the page goes on by itself", async () => {
    const shown = await startDashboard({ days: 0, traffic: 0 });
    await shown.daemon.stop();
    const supervisor = new Supervisor(shown.daemon, [{ HERMES_SUPERVISED: "docker" }]);
    await shown.daemon.run.ready;
    const page = await openDashboard(browser(), shown, "/log");
    await lines(page, "gateway started").last().waitFor();
    const before = shown.daemon.pid;
    await button(page, "Restart the gateway").click();
    await page.getByText("docker starts the gateway again").waitFor();
    await expectFit(page);
    await button(page, "Restart the gateway now").click();
    await page.getByText("Restarting…").waitFor();
    await page.getByText("The gateway has restarted.").waitFor({ timeout: 60_000 });
    await supervisor.leave();
    expect(shown.daemon.pid).not.toBe(before);
    expect(supervisor.endings).toEqual([{ code: 75, signal: null }]);
    await button(page, "Restart the gateway").waitFor();
    await lines(page, "gateway stopped").last().waitFor();
    const { actions } = await shown.get<{ actions: object[] }>("/audit/actions");
    expect(actions).toContainEqual(expect.objectContaining({ action: "restart", outcome: "done" }));
    await shown.daemon.stop();
    await supervisor.done;
  }, 120_000);

  it("is refused where nothing starts the gateway again, and the page says what to run", async () => {
    const shown = await startDashboard({ days: 0, traffic: 0 });
    const page = await openDashboard(browser(), shown, "/log");
    await page.getByText("Restart the gateway", { exact: true }).click();
    const { command } = await shown.get<RestartAnswer>("/restart");
    expect(command).toMatch(/^(docker restart \S+|hermes gateway stop && hermes gateway)$/);
    await page.locator("details[open]").getByText(command!).waitFor();
    await expectFit(page);
    const headers = { "content-type": "application/json" };
    const answer = await shown.ask("/api/dashboard/restart", { method: "POST", headers, body: "{}" });
    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining(command!) });
    expect((await shown.ask("/healthz")).status).toBe(200);
    const { actions } = await shown.get<{ actions: object[] }>("/audit/actions");
    expect(actions).toContainEqual(expect.objectContaining({ action: "restart", outcome: "refused" }));
  }, 60_000);
});
