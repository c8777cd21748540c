import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.js";
import { until } from "../support/until.js";
import { answers, composer, live, openContext, openTab, questions, sees, write } from "./support/page.js";
import { ChatStandIn } from "./support/stand-in.js";

/** The web chat's page in a real browser. */
const browser = useBrowser();
let gateway: ChatStandIn;

beforeEach(async () => {
  gateway = await new ChatStandIn().start();
});

afterEach(() => gateway.stop());

const openPage = async (path = "/") => openTab(await openContext(browser(), gateway.url), path);
const idOf = (url: string) => new URL(url).pathname.replace("/c/", "");

/** A conversation that is there before the page. */
function prepared(title: string, more: { pinned?: boolean; lastActiveAt?: number } = {}): string {
  const id = randomUUID();
  gateway.question(id, `Question of ${title}`);
  gateway.say(id, `Answer of ${title}`);
  gateway.change(id, { title, titled: true, ...more });
  return id;
}

/** A conversation whose answer is being written. */
async function streaming(text = "Tell me") {
  gateway.answer = undefined;
  const page = await openPage();
  await live(page);
  await write(page, text);
  await page.waitForURL("**/c/*");
  const id = idOf(page.url());
  await until("the turn runs", () => gateway.talks.get(id)?.turn !== null && gateway.talks.has(id));
  return { page, id };
}

describe("conversations", () => {
  it("begin on an empty page and have an address that survives a reload", async () => {
    const page = await openPage();
    await page.getByRole("heading", { name: "What can I do for you?" }).waitFor();
    await write(page, "Hello");
    await sees(page, "You said: Hello");
    await page.waitForURL("**/c/*");
    expect(await page.title()).toBe("Hello · Hermes");
    await page.reload();
    await sees(page, "You said: Hello");
    expect(await questions(page).count()).toBe(1);
    // One read for the address, one after the stream began, for each of the two pages.
    expect(gateway.reads).toBeLessThanOrEqual(4);
    await page.getByRole("link", { name: "New chat" }).click();
    await page.getByRole("heading", { name: "What can I do for you?" }).waitFor();
    await page.goBack();
    await sees(page, "You said: Hello");
    expect(gateway.talks.size).toBe(1);
  });

  it("are listed by time, opened by a click, and found by a search", async () => {
    const day = Date.now() / 1000 - 3 * 86_400;
    prepared("Marmots", { lastActiveAt: day });
    prepared("Glaciers", { pinned: true, lastActiveAt: day });
    prepared("Edelweiss");
    const page = await openPage();
    const list = page.getByRole("navigation", { name: "Conversations" });
    await expect.poll(() => list.locator("h2").allInnerTexts()).toEqual(["Pinned", "Today", "Last 7 days"]);
    await list.getByRole("link", { name: "Marmots" }).click();
    await sees(page, "Answer of Marmots");
    expect(await list.getByRole("link", { name: "Marmots" }).getAttribute("aria-current")).toBe("page");
    await page.getByRole("searchbox", { name: "Search conversations" }).fill("glac");
    await expect.poll(() => list.locator(".row-title").allInnerTexts()).toEqual(["Glaciers"]);
    await page.getByRole("searchbox", { name: "Search conversations" }).fill("nothing like it");
    await list.getByText("Nothing found.").waitFor();
  });

  it("are renamed, pinned, archived, exported and deleted from their menu", async () => {
    const id = prepared("Marmots");
    const page = await openPage(`/c/${id}`);
    const menu = async (item: string) => {
      await page.locator(".row").hover();
      await page.getByRole("button", { name: /^Actions for/ }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await menu("Rename");
    await page.getByRole("textbox", { name: "Name" }).fill("Alpine marmots");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { level: 1, name: "Alpine marmots" }).waitFor();
    await menu("Pin");
    await page.getByRole("heading", { name: "Pinned" }).waitFor();
    const saved = page.waitForEvent("download");
    await menu("Export as Markdown");
    expect((await saved).suggestedFilename()).toBe("conversation.md");
    await menu("Archive");
    await page.getByText("Your conversations appear here.").waitFor();
    await page.getByRole("button", { name: "Archive" }).click();
    await menu("Restore");
    await page.getByRole("button", { name: /Back from the archive/ }).click();
    await menu("Delete");
    await page.getByRole("dialog").getByText("This can't be undone.").waitFor();
    await page.keyboard.press("Escape");
    expect(gateway.talks.size).toBe(1);
    await menu("Delete");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("heading", { name: "What can I do for you?" }).waitFor();
    expect(gateway.talks.size).toBe(0);
  });

  it("load older messages when one scrolls up", async () => {
    const id = randomUUID();
    for (let i = 1; i <= 80; i += 1) gateway.say(id, `Answer number ${i}.`);
    const page = await openPage(`/c/${id}`);
    await sees(page, "Answer number 80.");
    expect(await answers(page).count()).toBe(30);
    await until(
      "all are loaded",
      async () => {
        await page.locator("#conversation").evaluate((box) => box.scrollTo(0, 0));
        return (await answers(page).count()) === 80;
      },
      { found: () => answers(page).count() },
    );
    expect(await answers(page).first().textContent()).toContain("Answer number 1.");
  });

  it("show in all tabs what one of them does", async () => {
    const context = await openContext(browser(), gateway.url);
    const first = await openTab(context);
    await live(first);
    await write(first, "Hello");
    await sees(first, "You said: Hello");
    const second = await openTab(context, new URL(first.url()).pathname);
    await sees(second, "You said: Hello");
    await live(second);
    await write(first, "Again");
    await sees(second, "You said: Again");
    expect(await questions(second).count()).toBe(2);
  });
});

describe("an answer", () => {
  it("streams, shows its tools folded, and what it cost", async () => {
    const { page, id } = await streaming();
    await page.getByText("Thinking").waitFor();
    const call = {
      callId: "c1",
      tool: "web_search",
      args: '{"query":"<b>x</b>"}',
      result: null,
      seconds: null,
    };
    gateway.tool(id, { ...call, state: "running" });
    await page.getByText("Using web_search").waitFor();
    gateway.tool(id, { ...call, state: "done", result: "<img src=x onerror=hacked=1>", seconds: 1.25 });
    gateway.write(id, "Half **an");
    await sees(page, "Half **an");
    gateway.write(id, "** answer");
    await page.locator(".live strong", { hasText: "an" }).waitFor();
    gateway.finish(id);
    await page.locator(".live").waitFor({ state: "detached" });
    expect(await answers(page).count()).toBe(1);
    const tool = page.locator("details.tool");
    await tool.locator("summary").click();
    expect(await tool.locator("pre").last().textContent()).toBe("<img src=x onerror=hacked=1>");
    await page.getByText("large · 2.5 s · 1,540 tokens · $0.01").waitFor();
  });

  it("is stopped by the button or Escape, and what was written stays", async () => {
    const { page, id } = await streaming();
    gateway.write(id, "The first words");
    await sees(page, "The first words");
    await page.getByRole("button", { name: "Stop the answer" }).click();
    await page.getByText("Stopped").waitFor();
    await sees(page, "The first words");
    await write(page, "Once more");
    await until("the turn runs", () => gateway.talk(id).turn !== null);
    gateway.write(id, "Other words");
    await sees(page, "Other words");
    await composer(page).press("Escape");
    await expect.poll(() => page.getByText("Stopped").count()).toBe(2);
    await page.reload();
    await sees(page, "Other words");
  });

  it("continues after a reload and a lost connection", async () => {
    const { page, id } = await streaming();
    gateway.write(id, "Before, ");
    await sees(page, "Before,");
    await page.reload();
    await sees(page, "Before,");
    await live(page);
    gateway.write(id, "between, ");
    await sees(page, "Before, between,");
    gateway.cutStreams();
    gateway.write(id, "after");
    await sees(page, "Before, between, after");
    gateway.finish(id);
    await page.locator(".live").waitFor({ state: "detached" });
    expect(await answers(page).count()).toBe(1);
  });

  it("lets further messages wait below it, where they can be withdrawn", async () => {
    const { page, id } = await streaming();
    await write(page, "One more thing");
    await write(page, "Forget this");
    await expect.poll(() => page.locator(".queued").count()).toBe(2);
    await page
      .locator(".queued", { hasText: "Forget this" })
      .getByRole("button", { name: "Withdraw" })
      .click();
    await expect.poll(() => page.locator(".queued").count()).toBe(1);
    gateway.answer = (text) => `You said: ${text}`;
    gateway.write(id, "Done");
    gateway.finish(id);
    await sees(page, "You said: One more thing");
    expect(await page.locator(".queued").count()).toBe(0);
    expect(await questions(page).locator(".bubble").allInnerTexts()).toEqual(["Tell me", "One more thing"]);
  });

  it("is made again, and the versions can be switched", async () => {
    const page = await openPage();
    let count = 0;
    gateway.answer = () => `Version ${++count}`;
    await write(page, "Tell me");
    await sees(page, "Version 1");
    await page.getByRole("button", { name: "Answer again" }).click();
    await sees(page, "Version 2");
    await page.getByText("2/2").waitFor();
    expect(await answers(page).count()).toBe(1);
    await questions(page).first().hover();
    await page.getByRole("button", { name: "Previous version" }).click();
    await sees(page, "Version 1");
    await page.getByText("1/2").waitFor();
  });

  it("changes with its question, which can be edited", async () => {
    const page = await openPage();
    await write(page, "Hello Ann");
    await sees(page, "You said: Hello Ann");
    await questions(page).first().hover();
    await page.getByRole("button", { name: "Edit the question" }).click();
    await page.getByRole("textbox", { name: "Question" }).fill("Hello Bob");
    await page.getByRole("textbox", { name: "Question" }).press("Enter");
    await sees(page, "You said: Hello Bob");
    expect(await questions(page).locator(".bubble").allInnerTexts()).toEqual(["Hello Bob"]);
    await page.getByText("2/2").waitFor();
  });

  it("can be copied, whole or its code alone", async () => {
    const page = await openPage();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const text = "Look:\n\n```ts\nconst a = 1;\n```";
    gateway.answer = () => text;
    await write(page, "Code");
    await page.locator(".hljs-keyword", { hasText: "const" }).waitFor();
    await page.locator(".code").getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("const a = 1;\n");
    await page.getByRole("button", { name: "Copy the answer" }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(text);
  });

  it("asks with buttons", async () => {
    const { page, id } = await streaming("Delete it");
    const buttons = [
      { label: "Allow <b>once</b>", data: "yes", style: "primary" as const },
      { label: "Deny", data: "no", style: "danger" as const },
    ];
    const { id: messageId } = gateway.notice(id, "May **I**?", { kind: "question", buttons });
    await page.getByRole("button", { name: "Allow <b>once</b>" }).waitFor();
    await page.getByRole("button", { name: "Deny" }).click();
    await until("it is pressed", () => gateway.presses.length === 1);
    expect(gateway.presses[0]).toMatchObject({ button: "no", text: "Deny" });
    gateway.push({ type: "decided", conversationId: id, messageId, text: "Ann: no" });
    await page.getByText("Ann: no").waitFor();
    expect(await page.getByRole("button", { name: "Deny" }).count()).toBe(0);
  });
});

describe("the composer", () => {
  it("keeps a draft for each conversation, over reloads", async () => {
    const id = prepared("Marmots");
    const page = await openPage();
    await composer(page).fill("for the new one");
    await page.getByRole("link", { name: "Marmots" }).click();
    await sees(page, "Answer of Marmots");
    expect(await composer(page).inputValue()).toBe("");
    await composer(page).fill("for the marmots");
    await page.goto("/");
    await expect.poll(() => composer(page).inputValue()).toBe("for the new one");
    await page.goto(`/c/${id}`);
    await expect.poll(() => composer(page).inputValue()).toBe("for the marmots");
  });

  it("recalls what was written with arrow-up", async () => {
    const page = await openPage();
    for (const text of ["First", "Second"]) {
      await write(page, text);
      await sees(page, `You said: ${text}`);
    }
    await composer(page).press("ArrowUp");
    expect(await composer(page).inputValue()).toBe("Second");
    await composer(page).press("ArrowUp");
    expect(await composer(page).inputValue()).toBe("First");
    await composer(page).press("ArrowDown");
    await composer(page).press("ArrowDown");
    expect(await composer(page).inputValue()).toBe("");
  });

  it("completes commands", async () => {
    const page = await openPage();
    await composer(page).fill("/");
    await expect.poll(() => page.locator("#completion [role=option]").count()).toBe(3);
    await composer(page).press("ArrowDown");
    await composer(page).press("Enter");
    expect(await composer(page).inputValue()).toBe("/new ");
    await write(page, "/status");
    await page.locator(".message.gateway", { hasText: "Reply to /status" }).waitFor();
    expect(gateway.sent.map(({ text }) => text)).toEqual(["/status"]);
  });

  it("sends what was written without a connection as soon as there is one, once", async () => {
    const page = await openPage();
    await live(page);
    gateway.broken = "/messages";
    await write(page, "Keep this");
    await page.locator(".unsent", { hasText: "Keep this" }).waitFor();
    await page.reload();
    await page.locator(".unsent", { hasText: "Keep this" }).waitFor();
    gateway.broken = undefined;
    await sees(page, "You said: Keep this");
    expect(await page.locator(".unsent").count()).toBe(0);
    expect(gateway.sent).toHaveLength(1);
    expect(await questions(page).count()).toBe(1);
  });

  it("keeps a refused text and says why", async () => {
    const page = await openPage();
    await write(page, "please refuse me");
    await page.getByText("Not sent: The gateway refuses this text").waitFor();
    await page.locator(".unsent").getByRole("button", { name: "Edit" }).click();
    expect(await composer(page).inputValue()).toBe("please refuse me");
    expect(await page.locator(".unsent").count()).toBe(0);
  });

  it("keeps a text that is too long, and sends it as a file", async () => {
    const page = await openPage();
    await live(page);
    const long = "word ".repeat(1000);
    await composer(page).fill(long);
    await page.getByText("999 characters too long for one message.").waitFor();
    await composer(page).press("Enter");
    expect(await composer(page).inputValue()).toBe(long);
    await page.getByRole("button", { name: "attach it as a file" }).click();
    await page.locator(".attachment[data-state=done]").waitFor();
    await composer(page).press("Enter");
    await until("it is sent", () => gateway.sent.length === 1);
    expect([...gateway.uploads.values()][0]!.body.toString()).toBe(long);
  });

  it("picks a model", async () => {
    const page = await openPage();
    await page.getByLabel("Model").selectOption("small");
    await until("it is chosen", () => gateway.changes.length === 1);
    expect(gateway.changes).toEqual([{ model: "small" }]);
    await write(page, "Hello");
    await sees(page, "You said: Hello");
    await page.reload();
    await expect.poll(() => page.getByLabel("Model").inputValue()).toBe("small");
  });
});
