/**
 * `npx tsx scripts/tutorial-pictures.ts [folder]`: goes through docs/tutorial.md with emulated platforms and a scripted model, and
 * takes its pictures. `hermes setup` runs in a real terminal (tmux), everything else in a real browser.
 */
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { atEnd, endAll } from "../test/support/at-end.js";
import { Daemon } from "../test/support/daemon.js";
import { setupScreen } from "./tutorial/terminal.js";
import { terminalPage } from "./tutorial/terminal-page.js";
import { threePlatforms } from "./tutorial/three-platforms.js";

const [folder = fileURLToPath(new URL("../docs/images", import.meta.url))] = process.argv.slice(2);

try {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"],
  });
  atEnd(() => browser.close());
  await takeFirstMessage(browser);
  await takeSetup(browser);
  await takeThreePlatforms(browser);
} finally {
  await endAll();
}

/** A new home: the echo agent in the web chat. */
async function takeFirstMessage(browser: Browser): Promise<void> {
  const daemon = await new Daemon({ yaml: "{}" }).start();
  const page = await openPage(browser, daemon.url, { width: 1000, height: 560 });
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.fill("Hello! Is anyone there?");
  await box.press("Enter");
  await page.locator(".message.agent:not(.live) .actions").waitFor();
  await page.mouse.move(0, 0);
  await save(page, "tutorial-first-message");
}

async function takeSetup(browser: Browser): Promise<void> {
  const page = await openPage(browser, "about:blank", { width: 900, height: 400 });
  await page.setContent(terminalPage("hermes setup", await setupScreen()));
  report(await page.locator("main").screenshot({ path: fileOf("tutorial-setup") }), "tutorial-setup");
}

async function takeThreePlatforms(browser: Browser): Promise<void> {
  const story = await threePlatforms();
  const page = await openPage(browser, story.url, { width: 1100, height: 620 });
  const telegram = page.locator('.client[data-client="telegram"]');
  await story.writeAsStranger();
  await telegram.getByText("I don't know you yet").waitFor();
  report(await telegram.screenshot({ path: fileOf("tutorial-pairing") }), "tutorial-pairing");
  await story.pairAndAsk();
  for (const [name, chat] of story.shown)
    await page.locator(`.client[data-client="${name}"] .chats button`, { hasText: chat }).click();
  await page.mouse.move(0, 0);
  await save(page, "tutorial-three-platforms");
}

async function openPage(browser: Browser, url: string, viewport: { width: number; height: number }) {
  const context = await browser.newContext({
    ...{ viewport, colorScheme: "light", reducedMotion: "reduce" },
    ...{ locale: "en-GB", timezoneId: "Europe/Berlin" },
  });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

async function save(page: Page, name: string): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  report(await page.screenshot({ path: fileOf(name) }), name);
}

function fileOf(name: string): string {
  fs.mkdirSync(folder, { recursive: true });
  return path.join(folder, `${name}.png`);
}

function report(picture: Buffer, name: string): void {
  process.stdout.write(`${fileOf(name)} ${Math.round(picture.length / 1024)} KB\n`);
}
