import fs from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { calls, says } from "../emulators/model-server.js";
import { useBrowser } from "../support/browser.js";
import { gate } from "../support/gate.js";
import { LossyLink } from "../support/lossy-link.js";
import { PNG } from "../support/pictures.js";
import { openPage as openAt, useChat } from "./support/chat.js";
import { answers, composer, live, openContext, openTab, questions, sees, write } from "./support/page.js";

/** Answers in a real browser, from the real daemon with a scripted model. */
const browser = useBrowser();
const chat = useChat();

const openPage = (): Promise<Page> => openAt(browser(), chat());

/** The model says these words, and the rest once `open` is called. */
function heldAfter(first: string, rest: string) {
  const { opened, open } = gate();
  return { scripted: { ...says(first, rest), gates: [{ after: 1, opened }] }, open };
}

describe("an answer", () => {
  it("streams, and shows its tools, its sources and what it cost, also after a reload", async () => {
    const { model, hits } = chat();
    hits.splice(
      0,
      hits.length,
      { title: "<img src=x onerror=window.hacked=1>", url: "https://tea.example/a?b=1", content: "Green." },
      { title: "A trap", url: "javascript:window.hacked=1", content: "x" },
      { title: "", url: "http://plain.example/", content: "x" },
    );
    const started = gate();
    const held = heldAfter("Half **an", "** answer");
    const search = {
      ...calls("web_search", { query: "<b>tea</b>" }),
      gates: [{ after: 0, opened: started.opened }],
    };
    const usage = { input: 1200, output: 340 };
    model.script({ ...search, usage }, { ...held.scripted, usage });
    const page = await openPage();
    await write(page, "Tell me about tea");
    await page.getByText("Thinking").waitFor();
    started.open();
    await page.locator(".live .tool", { hasText: "web_search" }).waitFor();
    await page.locator(".live", { hasText: "Half **an" }).waitFor();
    held.open();
    await page.locator(".live").waitFor({ state: "detached" });
    const check = async () => {
      await page.locator(".message.agent strong", { hasText: "an" }).waitFor();
      const tool = page.locator("details.tool");
      await tool.locator("summary").click();
      expect(await tool.locator("pre").first().textContent()).toContain("<b>tea</b>");
      expect(await tool.locator("pre").last().textContent()).toContain("<img src=x onerror=window.hacked=1>");
      await expect
        .poll(() => page.locator(".usage").textContent())
        .toMatch(/^large · (?:<1|[\d.]+) m?s · 3,080 tokens · \$0\.05$/);
      const links = page.getByRole("region", { name: "Sources" }).getByRole("link");
      expect(await links.evaluateAll((all) => all.map((a) => a.getAttribute("href")))).toEqual([
        "https://tea.example/a?b=1",
        "http://plain.example/",
      ]);
      expect(await links.first().getAttribute("rel")).toBe("noopener noreferrer nofollow");
      expect(await links.first().getAttribute("referrerpolicy")).toBe("no-referrer");
      expect(await links.allInnerTexts()).toEqual([
        expect.stringContaining("<img src=x onerror=window.hacked=1>"),
        "plain.example",
      ]);
      expect(await page.evaluate("window.hacked")).toBeUndefined();
    };
    await check();
    await page.reload();
    await check();
  });

  it("is stopped by the button or Escape, and what was written stays", async () => {
    const { model } = chat();
    model.script(heldAfter("The first words", " and more").scripted);
    const page = await openPage();
    await write(page, "Tell me");
    await page.locator(".live", { hasText: "The first words" }).waitFor();
    await page.getByRole("button", { name: "Stop the answer" }).click();
    await page.locator(".tag", { hasText: "Stopped" }).waitFor();
    await sees(page, "The first words");
    model.script(heldAfter("Other words", " and more").scripted);
    await write(page, "Once more");
    await page.locator(".live", { hasText: "Other words" }).waitFor();
    await composer(page).press("Escape");
    await expect.poll(() => page.locator(".tag", { hasText: "Stopped" }).count()).toBe(2);
    await page.reload();
    await sees(page, "Other words");
    await expect.poll(() => page.locator(".tag", { hasText: "Stopped" }).count()).toBe(2);
    await expect.poll(() => answers(page).count()).toBe(2);
  });

  it("continues after a reload and a lost connection", async () => {
    const { model, daemon } = chat();
    const [between, after] = [gate(), gate()];
    const gates = [
      { after: 1, opened: between.opened },
      { after: 2, opened: after.opened },
    ];
    model.script({ ...says("Before, ", "between, ", "after"), gates });
    const link = await LossyLink.to(daemon.url);
    const page = await openTab(await openContext(browser(), link.url));
    await live(page);
    await write(page, "Tell me");
    await page.locator(".live", { hasText: "Before," }).waitFor();
    await page.reload();
    await page.locator(".live", { hasText: "Before," }).waitFor();
    await live(page);
    between.open();
    await page.locator(".live", { hasText: "Before, between," }).waitFor();
    link.cut();
    after.open();
    await sees(page, "Before, between, after");
    await page.locator(".live").waitFor({ state: "detached" });
    await expect.poll(() => answers(page).count()).toBe(1);
  });

  it("lets further messages wait below it, where they can be withdrawn", async () => {
    const held = heldAfter("Do", "ne");
    chat().model.script(held.scripted);
    const page = await openPage();
    await write(page, "Tell me");
    await page.locator(".live", { hasText: "Do" }).waitFor();
    await write(page, "One more thing");
    await write(page, "Forget this");
    await expect.poll(() => page.locator(".queued").count()).toBe(2);
    await page
      .locator(".queued", { hasText: "Forget this" })
      .getByRole("button", { name: "Withdraw" })
      .click();
    await expect.poll(() => page.locator(".queued").count()).toBe(1);
    held.open();
    await sees(page, "You said: One more thing");
    await expect.poll(() => page.locator(".queued").count()).toBe(0);
    expect(await questions(page).locator(".bubble").allInnerTexts()).toEqual(["Tell me", "One more thing"]);
  });

  it("is made again and changes with its question, in versions that can be switched", async () => {
    chat().model.script(says("First version"), says("Second version"), says("Third, about tea"));
    const page = await openPage();
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
    expect(await questions(page).locator(".bubble").allInnerTexts()).toEqual(["tea?"]);
    await page.getByRole("button", { name: "Previous version" }).click();
    await sees(page, "Second version");
    await page.getByRole("button", { name: "Previous version" }).click();
    await sees(page, "First version");
    await expect.poll(() => answers(page).count()).toBe(1);
    await page.reload();
    await sees(page, "First version");
    await page.getByText("1/3").waitFor();
  });

  it("can be copied, whole or its code alone", async () => {
    const text = "Look:\n\n```ts\nconst a = 1;\n```";
    chat().model.script(says(text));
    const page = await openPage();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await write(page, "Code");
    await page.locator(".hljs-keyword", { hasText: "const" }).waitFor();
    await page.locator(".live").waitFor({ state: "detached" });
    await page.locator(".code").getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("const a = 1;\n");
    await page.getByRole("button", { name: "Copy the answer" }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(text);
  });

  it("asks with buttons", async () => {
    const { model } = chat();
    const choices = ["Green <b>tea</b>", "Coffee"];
    model.script(calls("clarify", { question: "Which **one**?", choices }), says("Here it is"));
    const page = await openPage();
    await write(page, "A drink");
    await page.getByRole("button", { name: "Green <b>tea</b>" }).waitFor();
    await page.reload();
    await page.getByText("Waiting for your decision").waitFor();
    await page.getByRole("link", { name: "A drink" }).waitFor();
    expect(await page.locator(".message").first().textContent()).toContain("A drink");
    await page.getByRole("button", { name: "Coffee" }).click();
    await sees(page, "Here it is");
    await page.locator(".message.gateway[data-kind=question]", { hasText: "Coffee" }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Coffee" }).count()).toBe(0);
    const results = model.requests.flatMap(({ body }) => body.messages.filter(({ role }) => role === "tool"));
    expect(JSON.stringify(results)).toContain('\\"user_response\\":\\"Coffee\\"');
  });

  it("takes an answer in one's own words, and a question can be stopped", async () => {
    const { model } = chat();
    const question = calls("clarify", { question: "Which one?", choices: ["Tea", "Coffee"] });
    model.script(question, says("Water it is"), question);
    const page = await openPage();
    await write(page, "A drink");
    await page.getByRole("button", { name: "Tea" }).waitFor();
    await write(page, "just water");
    await sees(page, "Water it is");
    await expect.poll(() => page.locator(".queued, .live").count()).toBe(0);
    await write(page, "Another drink");
    await page.getByRole("button", { name: "Tea" }).waitFor();
    await page.getByRole("button", { name: "Stop the answer" }).click();
    await page.getByRole("button", { name: "Tea" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Stop the answer" }).waitFor({ state: "detached" });
    await page.reload();
    await sees(page, "Water it is");
    await page.locator(".message.user", { hasText: "Another drink" }).waitFor();
    await expect.poll(() => page.locator(".queued, .live").count()).toBe(0);
  });

  it("says what went wrong when the model fails", async () => {
    const { model } = chat();
    model.script({ error: { status: 400, body: { error: { message: "No such <b>model</b>" } } } });
    const page = await openPage();
    await write(page, "Hello");
    await page.locator(".message.gateway", { hasText: /model/i }).waitFor();
    await page.reload();
    await page.locator(".message.gateway", { hasText: /model/i }).waitFor();
  });

  it("is asked for again after the model has failed", async () => {
    const { model } = chat();
    const failure = { error: { status: 400, body: { error: { message: "No such <b>model</b>" } } } };
    model.script(failure, failure, says("Here I am"));
    const page = await openPage();
    const notices = page.locator(".message.gateway", { hasText: /model/i });
    const again = page.getByRole("button", { name: "Answer again" });
    await write(page, "Hello");
    await notices.waitFor();
    await again.click();
    await page.getByText("2/2").waitFor();
    await notices.waitFor();
    await page.reload();
    await again.click();
    await sees(page, "Here I am");
    await page.getByText("3/3").waitFor();
    expect(await questions(page).locator(".bubble").allInnerTexts()).toEqual(["Hello"]);
    await expect.poll(() => notices.count()).toBe(0);
    await expect.poll(() => again.count()).toBe(1);
    await page.getByRole("button", { name: "Previous version" }).click();
    await notices.waitFor();
    await expect.poll(() => answers(page).count()).toBe(0);
  });

  it("brings files: pictures are shown, the rest are cards", async () => {
    const { daemon, model } = chat();
    fs.mkdirSync(daemon.file("media/out"), { recursive: true });
    fs.writeFileSync(daemon.file("media/out/plot.png"), PNG);
    fs.writeFileSync(daemon.file("media/out/data.csv"), "a,b");
    model.script(says("MEDIA:media/out/plot.png MEDIA:media/out/data.csv"));
    const page = await openPage();
    await write(page, "The plot, please");
    await page.getByRole("img", { name: "plot.png" }).waitFor();
    const saved = page.waitForEvent("download");
    await answers(page)
      .getByRole("link", { name: /data.csv/ })
      .click();
    expect((await saved).suggestedFilename()).toBe("data.csv");
  });
});
