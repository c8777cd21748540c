import { describe, expect, it } from "vitest";
import { useBrowser } from "../support/browser.js";
import { until } from "../support/until.js";
import { asked, changed, conversationOf, openPage, useChat } from "./support/chat.js";
import { answers, live, openContext, openTab, questions, sees, write } from "./support/page.js";

/** Conversations in a real browser at the real daemon. */
const browser = useBrowser();
const chat = useChat();

describe("conversations", () => {
  it("begin on an empty page and have an address that survives a reload", async () => {
    const page = await openPage(browser(), chat());
    let reads = 0;
    page.on("request", (request) => {
      if (/\/api\/web\/conversations\/[^/?]+$/.test(request.url()) && request.method() === "GET") reads += 1;
    });
    await page.getByRole("heading", { name: "What can I do for you?" }).waitFor();
    await write(page, "Hello");
    await sees(page, "You said: Hello");
    await page.waitForURL("**/c/*");
    await expect.poll(() => page.title()).toBe("Hello · Hermes");
    await page.reload();
    await sees(page, "You said: Hello");
    await live(page);
    await expect.poll(() => questions(page).count()).toBe(1);
    // For each page one read for the address and one after the stream began; one more after the answer.
    expect(reads).toBeLessThanOrEqual(5);
    await page.getByRole("link", { name: "New chat" }).click();
    await page.getByRole("heading", { name: "What can I do for you?" }).waitFor();
    await page.goBack();
    await sees(page, "You said: Hello");
    await expect.poll(() => page.locator(".row").count()).toBe(1);
  });

  it("are kept apart, listed by time, opened by a click, and found by a search", async () => {
    const context = await openContext(browser(), chat().daemon.url);
    const glaciers = await asked(context, "About glaciers");
    await asked(context, "About marmots");
    await changed(context, glaciers, { pinned: true });
    const page = await openTab(context);
    const list = page.getByRole("navigation", { name: "Conversations" });
    await expect.poll(() => list.locator("h2").allInnerTexts()).toEqual(["Pinned", "Today"]);
    await list.getByRole("link", { name: /marmots/ }).click();
    await sees(page, "You said: About marmots");
    await expect.poll(() => answers(page).filter({ hasText: "glaciers" }).count()).toBe(0);
    expect(await list.getByRole("link", { name: /marmots/ }).getAttribute("aria-current")).toBe("page");
    const search = page.getByRole("searchbox", { name: "Search conversations" });
    await search.fill("glaciers");
    await expect.poll(() => list.locator(".row-title").allInnerTexts()).toEqual(["About glaciers"]);
    await search.fill("nothing like it");
    await list.getByText("Nothing found.").waitFor();
    // Three days later, by the browser's clock.
    await page.clock.setFixedTime(Date.now() + 3 * 86_400_000);
    await page.reload();
    await expect.poll(() => list.locator("h2").allInnerTexts()).toEqual(["Pinned", "Last 7 days"]);
  });

  it("have titles without Markdown", async () => {
    const context = await openContext(browser(), chat().daemon.url);
    await asked(context, "**Bold** plans for `code` and [links](https://example.com)");
    const page = await openTab(context);
    await page.getByRole("link", { name: "Bold plans for code and links" }).waitFor();
  });

  it("are renamed, pinned, archived, exported and deleted from their menu", async () => {
    const context = await openContext(browser(), chat().daemon.url);
    const id = await asked(context, "About marmots");
    const page = await openTab(context, `/c/${id}`);
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
    for (const [item, name] of [
      ["Export as Markdown", "Alpine-marmots.md"],
      ["Export as JSON", "Alpine-marmots.json"],
    ] as const) {
      const saved = page.waitForEvent("download");
      await menu(item);
      expect((await saved).suggestedFilename()).toBe(name);
    }
    await menu("Archive");
    await page.getByText("Your conversations appear here.").waitFor();
    await page.getByRole("button", { name: "Archive" }).click();
    await menu("Restore");
    await page.getByRole("button", { name: /Back from the archive/ }).click();
    await menu("Delete");
    await page.getByRole("dialog").getByText("This can't be undone.").waitFor();
    await page.keyboard.press("Escape");
    expect((await conversationOf(context, id)).conversation).not.toBeNull();
    await menu("Delete");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("heading", { name: "What can I do for you?" }).waitFor();
    expect((await conversationOf(context, id)).conversation).toBeNull();
  });

  it("load older messages when one scrolls up", async () => {
    const context = await openContext(browser(), chat().daemon.url);
    const id = await asked(context, "Question 1.");
    for (let i = 2; i <= 30; i += 1) await asked(context, `Question ${i}.`, { id });
    const page = await openTab(context, `/c/${id}`);
    await sees(page, "You said: Question 30.");
    await expect.poll(() => answers(page).count()).toBe(25);
    await until(
      "all are loaded",
      async () => {
        await page.locator("#conversation").evaluate((box) => box.scrollTo(0, 0));
        return (await answers(page).count()) === 30;
      },
      { found: () => answers(page).count() },
    );
    expect(await answers(page).first().textContent()).toContain("Question 1.");
  });

  it("show in all tabs what one of them does", async () => {
    const context = await openContext(browser(), chat().daemon.url);
    const first = await openTab(context);
    await live(first);
    await write(first, "Hello");
    await sees(first, "You said: Hello");
    const second = await openTab(context, new URL(first.url()).pathname);
    await sees(second, "You said: Hello");
    await live(second);
    await write(first, "Again");
    await sees(second, "You said: Again");
    await expect.poll(() => questions(second).count()).toBe(2);
  });

  it("mark turns that were undone", async () => {
    const context = await openContext(browser(), chat().daemon.url);
    const id = await asked(context, "Keep this");
    await asked(context, "Not this", { id });
    await asked(context, "/undo", { id });
    const page = await openTab(context, `/c/${id}`);
    const undone = page.locator(".message[data-undone]");
    await expect.poll(() => undone.count()).toBe(2);
    expect(await undone.first().textContent()).toContain("Not this");
    await expect.poll(() => undone.getByText("Undone").count()).toBe(2);
  });
});
