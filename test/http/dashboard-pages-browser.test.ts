import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeDemo } from "../../scripts/demo/history.js";
import { forSeveral } from "../support/at-end.js";
import { faultsOfBothThemes } from "../support/axe.js";
import { useBrowser } from "../support/browser.js";
import { Daemon } from "../support/daemon.js";
import { tempDir } from "../support/temp.js";
import { WebClient } from "../support/web-client.js";
import { everyPage, openAll, SIZES, spillOf, visit } from "./support/dashboard-crawl.js";
import { hostile, hostileConfig, makeHostile } from "./support/hostile-home.js";

/**
 * Every page of the dashboard, as its own links lead to them, on a home in which everything is hostile: a new page is tested
 * without a line here.
 */

const TOKEN = "a-token-of-some-length";
const browser = useBrowser();
let daemon: Daemon;
let end: (() => Promise<void>) | undefined;
let model: http.Server;

beforeAll(async () => {
  // A provider that rejects the key, in many words.
  model = http.createServer((_, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: hostile() } }));
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  const { port } = model.address() as AddressInfo;
  ({ made: daemon, end } = await forSeveral(async () => {
    const home = path.join(tempDir(), "home");
    fs.mkdirSync(home, { mode: 0o700 });
    await makeDemo(home, { days: 3, perDay: 3, traffic: 12 });
    makeHostile(home);
    return new Daemon({
      home,
      yaml: hostileConfig(TOKEN, `http://127.0.0.1:${port}/v1`),
    }).start();
  }));
  const ann = new WebClient(daemon.url, { token: TOKEN });
  await ann.send(hostile("typescript "));
  await ann.told("notice");
}, 60_000);
afterAll(async () => {
  await end?.();
  model.closeAllConnections();
  model.close();
});

/** What no link leads to. */
const MORE_PLACES = [
  "/sessions?q=typescript",
  "/sessions?q=nobodysaidthis",
  `/sessions?user=${"u".repeat(200)}`,
  "/messages/in:99999",
  "/audit?of=operator",
  "/audit?state=denied",
  `/nowhere/${"x".repeat(300)}`,
];

async function open(): Promise<{ page: Page; complaints: string[] }> {
  // Nothing but our own care keeps scripts out here.
  const context = await browser().newContext({ baseURL: daemon.url, bypassCSP: true });
  await context.request.post("/login", { form: { token: TOKEN }, headers: { origin: daemon.url } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, complaints };
}

it("every page fits, has no fault that axe finds, and runs no script of others", {
  timeout: 240_000,
}, async () => {
  const { page, complaints } = await open();
  const wrong: string[] = [];
  const seen: string[] = [];
  for await (const place of everyPage(page, MORE_PLACES)) {
    seen.push(place);
    await openAll(page);
    for (const { width, height, axe } of SIZES) {
      await page.setViewportSize({ width, height });
      const spill = await spillOf(page);
      if (spill.length > 0) wrong.push(`${place} at ${width}: too wide: ${spill.join(", ")}`);
      if (axe)
        wrong.push(...(await faultsOfBothThemes(page)).map((fault) => `${place} at ${width}: ${fault}`));
    }
    const injected = `[window.hacked, document.querySelectorAll("[data-hacked], a[href^='javascript:' i]").length]`;
    const [hacked, elements] = (await page.evaluate(injected)) as [unknown, number];
    if (hacked || elements > 0) wrong.push(`${place}: a script of others, or ${elements} elements`);
    wrong.push(...complaints.splice(0).map((one) => `${place}: ${one}`));
  }
  expect(wrong).toEqual([]);
  expect(seen).toEqual(expect.arrayContaining(["/", "/sessions", "/usage", "/config"]));
});

it("would find a page that is too wide, and a script", { timeout: 60_000 }, async () => {
  const { page } = await open();
  await visit(page, "/");
  await page.evaluate(
    "document.querySelector('main').insertAdjacentHTML('beforeend', '<p id=wide style=\"width:3000px\">x</p><img src=x data-hacked onerror=window.hacked=1>')",
  );
  expect((await spillOf(page)).join()).toContain("p#wide");
  await expect.poll(() => page.evaluate("window.hacked")).toBe(1);
});
