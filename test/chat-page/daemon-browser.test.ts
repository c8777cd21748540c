import fs from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { ModelServer, says } from "../emulators/model-server.js";
import { useBrowser } from "../support/browser.js";
import { Daemon } from "../support/daemon.js";
import { PNG } from "../support/pictures.js";
import { answers, composer, live, openContext, openTab, questions, sees, write } from "./support/page.js";

/** What a person does first: start the daemon, open the page, talk. */
const browser = useBrowser();

async function openPage({ url }: Daemon, path = "/"): Promise<Page> {
  const page = await openTab(await openContext(browser(), url), path);
  await live(page);
  return page;
}

async function withModel(): Promise<{ server: ModelServer; daemon: Daemon }> {
  const isTitle = (text: string) => text.includes("You name conversations");
  const server = await ModelServer.start({
    isScripted: ({ body }) => !isTitle(JSON.stringify(body.messages)),
    otherwise: () => says("Hot drinks"),
  });
  onTestFinished(() => server.close());
  const yaml = `model: {provider: openai-compatible, base_url: "${server.url}", default: test-model, api_key: k}\n`;
  return { server, daemon: await new Daemon({ yaml }).start() };
}

describe("the web chat of the real daemon", () => {
  it("answers, keeps conversations apart, and survives a reload and kill -9", async () => {
    const daemon = await new Daemon().start();
    const page = await openPage(daemon);
    await write(page, "remember the alpine marmots");
    await sees(page, /No model is configured/);
    await sees(page, "remember the alpine marmots");
    await page.waitForURL("**/c/*");
    expect(await questions(page).count()).toBe(1);
    await page.getByRole("link", { name: "New chat" }).click();
    await page.getByRole("heading", { name: "What can I do for you?" }).waitFor();
    await write(page, "and the glaciers");
    await sees(page, "and the glaciers");
    await page.getByRole("link", { name: /marmots/ }).click();
    await sees(page, "remember the alpine marmots");
    expect(await answers(page).filter({ hasText: "glaciers" }).count()).toBe(0);
    await page.reload();
    await sees(page, "remember the alpine marmots");
    await daemon.kill();
    await write(page, "still there?");
    await page.locator(".unsent", { hasText: "still there?" }).waitFor();
    await daemon.restart();
    await sees(page, "still there?");
    await expect
      .poll(() => questions(page).locator(".bubble").allInnerTexts())
      .toEqual(["remember the alpine marmots", "still there?"]);
  });

  it("streams a model's answer, which the button stops; what was written stays", async () => {
    const { server, daemon } = await withModel();
    server.script({ ...says("on ", "and ", "on ", "and ", "on"), stallAfter: 4 });
    const page = await openPage(daemon);
    await write(page, "tell me something long");
    await page.locator(".live", { hasText: "on and" }).waitFor();
    await page.getByRole("button", { name: "Stop the answer" }).click();
    await server.left(1);
    await page.locator(".tag", { hasText: "Stopped" }).waitFor();
    await sees(page, "on and");
    await page.reload();
    await page.locator(".tag", { hasText: "Stopped" }).waitFor();
    await sees(page, "on and");
  });

  it("answers again and edits in versions that can be switched", async () => {
    const { server, daemon } = await withModel();
    server.script(says("First version"), says("Second version"), says("Third, about tea"));
    const page = await openPage(daemon);
    await write(page, "coffee?");
    await sees(page, "First version");
    await page.getByRole("button", { name: "Answer again" }).click();
    await sees(page, "Second version");
    await page.getByText("2/2").waitFor();
    await questions(page).first().hover();
    await page.getByRole("button", { name: "Edit the question" }).click();
    await page.getByRole("textbox", { name: "Question" }).fill("tea?");
    await page.getByRole("textbox", { name: "Question" }).press("Enter");
    await sees(page, "Third, about tea");
    await page.getByText("3/3").waitFor();
    await page.getByRole("button", { name: "Previous version" }).click();
    await sees(page, "Second version");
    await page.getByRole("button", { name: "Previous version" }).click();
    await sees(page, "First version");
    expect(await answers(page).count()).toBe(1);
  });

  it("replies to commands", async () => {
    const daemon = await new Daemon().start();
    const page = await openPage(daemon);
    await composer(page).fill("/status");
    await composer(page).press("Escape");
    await composer(page).press("Enter");
    await page.locator(".message.gateway.command").waitFor();
    await expect.poll(() => questions(page).locator(".bubble").allInnerTexts()).toEqual(["/status"]);
    expect(await page.locator(".queued").count()).toBe(0);
  });

  it("takes files, and shows those of an answer", async () => {
    const daemon = await new Daemon().start();
    fs.mkdirSync(daemon.file("media/out"), { recursive: true });
    fs.writeFileSync(daemon.file("media/out/plot.png"), PNG);
    fs.writeFileSync(daemon.file("media/out/data.csv"), "a,b");
    const page = await openPage(daemon);
    await page
      .getByLabel("Files", { exact: true })
      .setInputFiles([{ name: "cat.png", mimeType: "image/png", buffer: PNG }]);
    await page.locator(".attachment[data-state=done]").waitFor();
    await write(page, "MEDIA:media/out/plot.png MEDIA:media/out/data.csv");
    await page.getByRole("img", { name: "plot.png" }).waitFor();
    await questions(page).getByRole("img", { name: "cat.png" }).waitFor();
    const picture = page.getByRole("img", { name: "cat.png" });
    await expect
      .poll(() => picture.evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(1);
    const saved = page.waitForEvent("download");
    await answers(page)
      .getByRole("link", { name: /data.csv/ })
      .click();
    expect((await saved).suggestedFilename()).toBe("data.csv");
  });

  it("shows two browsers nothing of one another", async () => {
    const daemon = await new Daemon().start();
    const [ann, bob] = [await openPage(daemon), await openPage(daemon)];
    await write(ann, "ann's secret plan");
    await sees(ann, "ann's secret plan");
    await bob.goto(new URL(ann.url()).pathname);
    await live(bob);
    await write(bob, "hello");
    await sees(bob, "hello");
    expect(await bob.locator("body").textContent()).not.toContain("secret plan");
  });
});
