import fs from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { ModelServer, says } from "../emulators/model-server.js";
import { useBrowser } from "../support/browser.js";
import { Daemon } from "../support/daemon.js";
import { PNG } from "../support/pictures.js";

/** What a person does first: start the daemon, open the page, talk. */
const browser = useBrowser();

async function openBrowser(url: string): Promise<Page> {
  const context = await browser().newContext({ baseURL: url });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto("/");
  return page;
}

const answers = (page: Page) => page.locator("#messages .message.bot");
const title = (page: Page, text: string) => page.getByRole("heading", { level: 1, name: text }).waitFor();
const sees = (page: Page, text: string | RegExp) => answers(page).filter({ hasText: text }).last().waitFor();

async function say(page: Page, text: string): Promise<void> {
  const composer = page.getByRole("combobox", { name: "Message" });
  await composer.fill(text);
  // Slash commands open a list of completions: it closes, then the line is sent.
  if (text.startsWith("/")) await composer.press("Escape");
  await composer.press("Enter");
}

describe("the web chat of the real daemon", () => {
  it("answers the first message without any configuration, and says that no model is set", async () => {
    const daemon = await new Daemon().start();
    const page = await openBrowser(daemon.url);
    await say(page, "hello from the browser");
    await sees(page, /No model is configured/);
    await sees(page, "hello from the browser");
  });

  it("names the session, keeps the conversation over a reload and over a restart of the daemon", async () => {
    const daemon = await new Daemon().start();
    const page = await openBrowser(daemon.url);
    await say(page, "remember the alpine marmots");
    await sees(page, "remember the alpine marmots");
    await say(page, "/title marmots");
    await title(page, "marmots");
    await page.reload();
    await sees(page, "remember the alpine marmots");
    await title(page, "marmots");
    await daemon.kill();
    await daemon.restart();
    await say(page, "still there?");
    await sees(page, "still there?");
    expect(await answers(page).filter({ hasText: "still there?" }).count()).toBe(1);
  });

  it("shows two browsers nothing of one another", async () => {
    const daemon = await new Daemon().start();
    const [ann, bob] = [await openBrowser(daemon.url), await openBrowser(daemon.url)];
    await say(ann, "ann's secret plan");
    await sees(ann, "ann's secret plan");
    await say(ann, "/title ann's secret title");
    await title(ann, "ann's secret title");
    await say(bob, "/sessions");
    await sees(bob, /session/i);
    await say(bob, "/resume ann's secret title");
    await answers(bob).nth(1).waitFor();
    await bob.reload();
    await answers(bob).nth(1).waitFor();
    expect(await bob.locator("body").textContent()).not.toContain("secret plan");
  });

  it("shows a model's answer while it is written, and /stop ends it", async () => {
    const server = await ModelServer.start();
    onTestFinished(() => server.close());
    server.script({ ...says("on ", "and ", "on ", "and ", "on"), stallAfter: 4 });
    const yaml = `model: {provider: openai-compatible, base_url: "${server.url}", default: test-model, api_key: k}\n`;
    const daemon = await new Daemon({ yaml }).start();
    const page = await openBrowser(daemon.url);
    await say(page, "tell me something long");
    await page.locator("#preview", { hasText: "on and" }).waitFor();
    await say(page, "/stop");
    await server.left(1);
    await sees(page, /stopped/i);
    await page.locator("#preview").waitFor({ state: "hidden" });
  });

  it("shows a picture that was sent, and offers any other file", async () => {
    const daemon = await new Daemon().start();
    fs.mkdirSync(daemon.file("media/out"), { recursive: true });
    fs.writeFileSync(daemon.file("media/out/plot.png"), PNG);
    fs.writeFileSync(daemon.file("media/out/data.csv"), "a,b");
    const page = await openBrowser(daemon.url);
    await say(page, "MEDIA:media/out/plot.png MEDIA:media/out/data.csv");
    const picture = page.getByRole("img", { name: "plot.png" });
    await picture.waitFor();
    await expect
      .poll(() => picture.evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(1);
    const saved = page.waitForEvent("download");
    await page.getByRole("link", { name: "data.csv" }).click();
    expect((await saved).suggestedFilename()).toBe("data.csv");
  });
});
