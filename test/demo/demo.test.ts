import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { useBrowser } from "../support/browser.js";
import { passedOn } from "../support/passed-on.js";
import { until } from "../support/until.js";

/** `npm run demo` as its users start it, in a real browser. */

const PROGRAM = fileURLToPath(new URL("../../scripts/demo.ts", import.meta.url));
const PATIENCE = { timeout: 60_000 };
const browser = useBrowser();

const start = (...args: string[]) => startIn(process.env.TMPDIR, ...args);

function startIn(TMPDIR: string | undefined, ...args: string[]) {
  const child = spawn(process.execPath, ["--import", "tsx", PROGRAM, "--gateway-port", "0", ...args], {
    env: { ...passedOn(), TMPDIR },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGINT");
    await ended;
  });
  return { child, ended };
}

async function startDemo(...args: string[]) {
  const { child, ended } = start("--port", "0", "--json", ...args);
  child.stderr.pipe(process.stderr);
  for await (const line of createInterface(child.stdout))
    return { child, ended, ...(JSON.parse(line) as { page: string; gateway: string; home: string }) };
  throw new Error("The demo ended before it said where it is");
}

const client = (page: Page, name: string) => page.locator(`[data-client=${name}].client`);
const openChat = (page: Page, name: string, chat: string) =>
  client(page, name).locator(".chats").getByRole("button", { name: chat }).click();

it("the tour shows every step in the clients, then they are the user's", { timeout: 180_000 }, async () => {
  const demo = await startDemo("--speed", "100");
  const page = await browser().newPage({ viewport: { width: 1440, height: 820 } });
  page.setDefaultTimeout(PATIENCE.timeout);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(demo.page);
  await page.getByRole("button", { name: "Play" }).click();
  await page.locator("#tour[data-mode=over]").waitFor({ timeout: 120_000 });
  const steps = await page.locator(".step").evaluateAll((found) => found.map((step) => step.textContent));
  const failed = await page.locator(".step:not([data-state=done])").count();
  expect(failed, steps.join("\n")).toBe(0);

  await openChat(page, "telegram", "Ann");
  const telegram = client(page, "telegram").locator(".message");
  expect(await telegram.filter({ hasText: "approve telegram" }).count()).toBe(1);
  expect(await telegram.filter({ hasText: "The night train" }).count()).toBe(1);
  await openChat(page, "discord", "#workshop");
  const discord = client(page, "discord").locator(".message");
  expect(await discord.locator(".picture").count()).toBe(1);
  expect(await discord.filter({ hasText: "weekend in Lisbon" }).locator("strong").first().textContent()).toBe(
    "weekend in Lisbon",
  );
  await openChat(page, "slack", "#launch");
  const slack = client(page, "slack").locator(".message");
  expect(await slack.filter({ hasText: "on Thursday" }).getAttribute("class")).toContain("threaded");
  expect(await slack.filter({ hasText: "Stand-up" }).count()).toBe(1);
  expect(await slack.filter({ hasText: "cake is in the kitchen" }).count()).toBe(1);
  expect(await client(page, "web").locator("table").count()).toBe(1);

  for (const name of ["Telegram", "Web chat"]) {
    await page.getByLabel(`Message on ${name}`).fill("thank you <b>all</b>");
    await page.getByLabel(`Message on ${name}`).press("Enter");
  }
  for (const name of ["telegram", "web"])
    await client(page, name).locator(".bot", { hasText: "You're welcome!" }).waitFor();
  expect(await page.locator(".person b", { hasText: /^all$/ }).count()).toBe(0);
  expect(problems).toEqual([]);

  demo.child.kill("SIGINT");
  expect(await demo.ended).toEqual([0, null]);
  expect(fs.existsSync(demo.home)).toBe(false);
  await until("the gateway has ended", () =>
    fetch(demo.gateway).then(
      () => false,
      () => true,
    ),
  );
});

it("leaves no folder behind if Ctrl-C comes twice, or while it starts", { timeout: 120_000 }, async () => {
  const demo = await startDemo("--no-tour");
  const impatient = setInterval(() => demo.child.kill("SIGINT"), 2);
  onTestFinished(() => clearInterval(impatient));
  expect(await demo.ended).toEqual([0, null]);
  expect(fs.existsSync(path.dirname(demo.home))).toBe(false);

  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-demo-test-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const { child, ended } = startIn(folder, "--port", "0");
  const mine = () => fs.readdirSync(folder).filter((name) => name.startsWith("hermes-test-"));
  await until("it has its folder", () => mine().length > 0);
  child.kill("SIGINT");
  await ended;
  expect(mine()).toEqual([]);
});

it("a port that is taken is an error that says what to do", async () => {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { child, ended } = start("--port", String(port));
  expect(await text(child.stderr)).toContain(`Port ${port} is taken`);
  expect(await ended).toEqual([1, null]);
});
