import Database from "better-sqlite3";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { runHermes } from "../cli/support/run.js";
import { findFaults } from "../support/axe.js";
import { useBrowser } from "../support/browser.js";
import { WebClient } from "../support/web-client.js";
import { type Shown, sharedDashboard, startDashboard, TOKEN } from "./support/dashboard.js";

/** Every page of the dashboard in a real browser, against the real daemon. */

const common = sharedDashboard();
const browser = useBrowser();
const complaints: string[] = [];
/** The cookie of the first test's login. All daemons have the same token, so it is good for all of them. */
let login: Awaited<ReturnType<BrowserContext["storageState"]>> | undefined;

interface Look {
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
}

/** Opens a page of the dashboard. The first test logs in as a person does. */
async function openAt({ daemon }: Shown, to: string, look: Look = {}): Promise<Page> {
  const { width = 1200, height = 800, colorScheme = "light" } = look;
  const context = await browser().newContext({
    viewport: { width, height },
    colorScheme,
    baseURL: daemon.url,
    ...(login ? { storageState: login } : {}),
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // The browser's own lines about what a test provokes, and about the icon of the login.
    if (message.type() === "error" && !/net::ERR_|status of 40[14]|503/.test(message.text()))
      complaints.push(message.text());
  });
  onTestFinished(() => expect(complaints.splice(0)).toEqual([]));
  await page.goto(`/dashboard${to}`);
  if (login) return page;
  await page.getByLabel("Token").fill(TOKEN);
  await page.getByLabel("Token").press("Enter");
  await page.waitForURL(`**/dashboard${to}`);
  login = await context.storageState();
  return page;
}

/** As a page has it. */
interface Styles {
  getComputedStyle(node: unknown): Record<string, string>;
}

const title = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();
const live = (page: Page) => page.locator(".connection[data-state=live]").waitFor();
const rows = (page: Page) => page.locator(".session-row");

describe("every page", () => {
  it("has a menu on a phone", async () => {
    const page = await openAt(common(), "/", { width: 390, height: 844 });
    await page.getByRole("button", { name: "Open the menu" }).click();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "Usage" }).click();
    await title(page, "Usage");
    expect(await page.getByRole("link", { name: "Usage" }).isVisible()).toBe(false);
  });

  it("is reached by keyboard, remembers the theme, and the back button goes back", async () => {
    const shown = common();
    const page = await openAt(shown, "/");
    await title(page, "Overview");
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to the content" });
    await expect.poll(() => skip.evaluate((link) => link.matches(":focus-visible"))).toBe(true);
    await page.keyboard.press("/");
    await title(page, "Sessions");
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("search");
    await page.keyboard.type("typescript");
    await page.locator(".hit").first().waitFor();
    await page.keyboard.press("Escape");
    await rows(page).first().waitFor();
    await expect.poll(() => page.url()).not.toContain("q=");

    await page.getByRole("link", { name: "Usage" }).click();
    await title(page, "Usage");
    await page.goBack();
    await title(page, "Sessions");
    await expect.poll(() => page.title()).toBe("Sessions · Hermes Gateway");

    const paper = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await paper();
    await page.getByRole("radio", { name: "Dark" }).check({ force: true });
    await expect.poll(paper).not.toBe(light);
    await page.reload();
    await rows(page).first().waitFor();
    expect(await paper()).not.toBe(light);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Token").waitFor();
  });
});

describe("the overview", () => {
  it("shows how things are, and what has just come in", async () => {
    const shown = await startDashboard();
    const page = await openAt(shown, "/");
    await page.getByText("2 problems").waitFor();
    await page.getByRole("link", { name: "No model is configured" }).waitFor();
    await page.getByRole("link", { name: "3 messages were given up" }).waitFor();
    await page.getByRole("link", { name: "2 people ask to be let in" }).waitFor();
    await page.locator("[data-platform-row=web]", { hasText: "Connected" }).waitFor();
    await page.getByRole("img", { name: "Last hour: 21 messages handled, 20 answers sent" }).waitFor();
    await page.getByText("Show as a table").click();
    await expect.poll(() => page.locator(".chart-table tbody tr").count()).toBe(60);
    const ann = new WebClient(shown.daemon.url, { token: TOKEN });
    await ann.send("hello");
    await page.getByRole("img", { name: "Last hour: 22 messages handled, 21 answers sent" }).waitFor();
  });

  it("says so when the gateway is gone, and goes on when it is back", async () => {
    const shown = await startDashboard();
    const page = await openAt(shown, "/");
    await live(page);
    await shown.daemon.kill();
    await page.locator(".connection[data-state=lost]").waitFor();
    await shown.daemon.start();
    await live(page);
  });
});

describe("sessions", () => {
  it("page on while one scrolls, stay where they were, and new ones come on top", async () => {
    const shown = await startDashboard({ days: 30, perDay: 8 });
    const page = await openAt(shown, "/sessions");
    await rows(page).first().waitFor();
    const first = await rows(page).count();
    expect(first).toBe(50);
    await page.keyboard.press("End");
    await expect.poll(() => rows(page).count()).toBeGreaterThan(first);
    const link = rows(page).nth(60).locator(".row-link");
    const name = await link.textContent();
    await link.click();
    await page.locator(".lineage").waitFor();
    await page.goBack();
    await rows(page).nth(60).waitFor();
    expect(await rows(page).nth(60).locator(".row-link").textContent()).toBe(name);
    await expect.poll(() => page.evaluate("window.scrollY")).toBeGreaterThan(500);

    const ann = new WebClient(shown.daemon.url, { token: TOKEN });
    await ann.send("a brand new question");
    await rows(page).first().filter({ hasText: "a brand new question" }).waitFor();
    await expect.poll(() => rows(page).count()).toBeGreaterThan(60);
  });

  it("can be filtered, and the address keeps it", async () => {
    const shown = common();
    const page = await openAt(shown, "/sessions");
    await rows(page).first().waitFor();
    const all = await rows(page).count();
    await page.getByRole("radio", { name: "Ended" }).check({ force: true });
    await expect.poll(() => rows(page).count()).toBeLessThan(all);
    await expect.poll(() => page.locator(".session-row .badge").count()).toBe(0);
    await page.getByLabel("Platform").selectOption("slack");
    await expect.poll(() => page.locator(".session-row", { hasNotText: "Slack" }).count()).toBe(0);
    expect(page.url()).toContain("state=ended&source=slack");
    await page.reload();
    await rows(page).first().waitFor();
    expect(await page.getByLabel("Platform").inputValue()).toBe("slack");
    await page.goto("/dashboard/sessions?user=nobody");
    await page.getByText("No matching sessions").waitFor();
    await page.getByRole("button", { name: /Show everyone/ }).click();
    await expect.poll(() => rows(page).count()).toBeGreaterThanOrEqual(all);
  });

  it("are searched as one types: marked, safe, and open at what was found", async () => {
    const shown = common();
    const hostile = "<img src=x onerror=window.hacked=1> zebra >>><b>x<<<";
    const ann = new WebClient(shown.daemon.url, { token: TOKEN });
    await ann.send(hostile);
    await ann.told("answer");
    const page = await openAt(shown, "/sessions");
    const asked: string[] = [];
    page.on("request", (request) => request.url().includes("/search") && asked.push(request.url()));
    await page.getByRole("searchbox").pressSequentially("discoun", { delay: 15 });
    await page
      .locator(".hit mark", { hasText: /^discount$/i })
      .first()
      .waitFor();
    // Debounced: fewer requests than letters.
    expect(asked.length).toBeLessThan("discoun".length);
    await page.locator(".titles mark", { hasText: /discoun/i }).waitFor();
    // Under the title of their session, with its platform and person.
    const found = page.locator(".found-session").first();
    await found.locator(".found-title").waitFor();
    await found.locator(".platform").waitFor();
    await found.locator(".who").waitFor();
    await page.locator(".hit a").first().click();
    const wanted = page.locator(".said-one[data-wanted]");
    await wanted.waitFor();
    expect(await wanted.textContent()).toMatch(/discount/i);
    await expect.poll(() => wanted.evaluate((one) => one.getBoundingClientRect().top)).toBeLessThan(800);

    await page.goto("/dashboard/sessions?q=zebra");
    await page.locator(".hit mark", { hasText: "zebra" }).first().waitFor();
    await expect.poll(() => page.locator(".snippet :not(mark)").count()).toBe(0);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
  });

  it("show what was said: folded tool calls, tokens and cost, the lineage as a tree, and go on live", async () => {
    const shown = common();
    const { project } = shown.demo;
    const page = await openAt(shown, `/sessions/${project.root}`);
    await title(page, "Moving the shop to TypeScript");
    await page.getByText("We want to move our shop").waitFor();
    // Markdown is loaded on demand. Strict: there is exactly one.
    await page.locator(".said-one code", { hasText: "allowJs" }).waitFor();
    const tool = page.locator("details.tool", { hasText: "read_file" });
    expect(await tool.getByText("1,204 more lines").isVisible()).toBe(false);
    await tool.locator("summary").click();
    await tool.getByText("1,204 more lines").waitFor();
    await page.locator(".facts", { hasText: "Tokens in" }).filter({ hasText: "(estimated)" }).waitFor();

    const tree = page.locator(".tree");
    await expect.poll(() => tree.locator("circle").count()).toBe(5);
    await expect.poll(() => tree.locator("path").count()).toBe(4);
    expect(await tree.locator("li a").allTextContents()).toEqual([
      "Moving the shop to TypeScript",
      "The shop, in small steps instead",
      "Moving the shop to TypeScript #2",
      "List all discount codes in the tests",
      "Moving the shop to TypeScript #3",
    ]);
    await tree.getByRole("link", { name: "Moving the shop to TypeScript #3" }).click();
    await title(page, "Moving the shop to TypeScript #3");
    await page.goBack();
    await title(page, "Moving the shop to TypeScript");

    const ann = new WebClient(shown.daemon.url, { token: TOKEN });
    await ann.send("first words");
    await ann.told("answer");
    await page.goto(`/dashboard/sessions/${(await ann.session())!.id}`);
    await page.locator(".said-one[data-role=user]", { hasText: "first words" }).waitFor();
    await ann.send("words that come later");
    await page.locator(".said-one[data-role=user]", { hasText: "words that come later" }).waitFor();
  });

  it("show lists with their marks, and tables whole", async () => {
    const shown = common();
    const bob = new WebClient(shown.daemon.url, { token: TOKEN });
    await bob.send("- a point\n\n1. a number\n\n| a | b |\n| - | - |\n| 1 | 2 |");
    await bob.told("answer");
    const page = await openAt(shown, `/sessions/${(await bob.session())!.id}`);
    const answer = page.locator(".said-one[data-role=assistant] .md");
    await answer.getByText("a point").waitFor();
    const styleOf = (what: string, property: string) =>
      answer
        .locator(what)
        .last()
        .evaluate((node, name) => (globalThis as unknown as Styles).getComputedStyle(node)[name], property);
    expect(await styleOf("ul", "listStyleType")).toBe("disc");
    expect(await styleOf("ol", "listStyleType")).toBe("decimal");
    expect(await styleOf("tbody td", "borderBottomStyle")).toBe("solid");
  });

  it("a long transcript comes by pages", async () => {
    const shown = common();
    const id = "long_session";
    const db = new Database(shown.daemon.file("state.db"));
    db.prepare("INSERT INTO sessions (id, source, started_at, message_count) VALUES (?, 'cli', 1, 130)").run(
      id,
    );
    const add = db.prepare(
      "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)",
    );
    for (let i = 0; i < 130; i += 1) add.run(id, `line ${i} of many`, 1000 + i);
    db.close();
    const page = await openAt(shown, `/sessions/${id}`);
    await page.getByText("line 129 of many").waitFor();
    await expect.poll(() => page.locator(".said-one").count()).toBe(50);
    await page.getByRole("button", { name: "Earlier messages" }).click();
    await page.getByText("line 30 of many").waitFor();
    await expect.poll(() => page.locator(".said-one").count()).toBe(100);
    await page.getByRole("button", { name: "Earlier messages" }).click();
    await page.getByText("line 0 of many").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Earlier messages" }).count()).toBe(0);
  });
});

describe("usage", () => {
  it("counts by day, platform and model, as charts and as tables", async () => {
    const shown = common();
    const page = await openAt(shown, "/usage");
    await page.getByRole("img", { name: /^Tokens by day and platform/ }).waitFor();
    await page
      .getByRole("table", { name: "Models" })
      .getByRole("row", { name: /claude-sonnet/ })
      .waitFor();
    await page.getByRole("radio", { name: "By model" }).check({ force: true });
    await page.getByLabel("Measure").selectOption("cost");
    await page.getByRole("img", { name: /^Cost by day and model/ }).waitFor();
    await page.getByRole("radio", { name: "7 days" }).check({ force: true });
    await page.getByText("Show as a table").click();
    await expect.poll(() => page.locator(".chart-table tbody tr").count()).toBe(7);
    expect(page.url()).toContain("days=7");
  });
});

describe("messages", () => {
  it("lead to their timelines", async () => {
    const shown = common();
    const page = await openAt(shown, "/messages");
    await page
      .locator(".message-row", { hasText: "want to get rich" })
      .filter({ hasText: "Refused" })
      .waitFor();
    await page.getByLabel("State").selectOption("done");
    await expect.poll(() => page.getByText("want to get rich").count()).toBe(0);
    const ann = new WebClient(shown.daemon.url, { token: TOKEN });
    await ann.send("where am I?");
    const row = page.locator(".message-row", { hasText: "where am I?" });
    await row.filter({ hasText: "Answered" }).waitFor();
    await row.getByRole("link").click();
    await page.locator(".timeline li", { hasText: "Answer sent" }).waitFor();
    expect(await page.locator(".timeline-what").allTextContents()).toEqual([
      "Sent by the user",
      "Accepted",
      "Turn started",
      "Done",
      "Answer stored",
      "Answer sent",
    ]);
    await page.getByRole("link", { name: "Session", exact: true }).click();
    await page.locator(".said-one", { hasText: "where am I?" }).first().waitFor();
    await page.goto("/dashboard/messages");
    await page.getByLabel("Message id").fill("in:77777");
    await page.getByRole("button", { name: "Trace" }).click();
    await page.getByText("No message 'in:77777' found.").waitFor();
  });
});

describe("what an operator does", () => {
  it("a dead letter is retried, and delivered", async () => {
    const shown = await startDashboard();
    const ann = new WebClient(shown.daemon.url, { token: TOKEN });
    await ann.send("hello");
    await ann.told("answer");
    kill(shown, "gw_outbox", "the browser was closed");
    kill(shown, "gw_inbox", "no answer in time");
    const page = await openAt(shown, "/dead");
    const letter = page.locator(".letter", { hasText: "the browser was closed" });
    await letter.getByRole("button", { name: /^Retry/ }).click();
    await page.getByText("1 message is tried again.").waitFor();
    await expect.poll(() => letter.count()).toBe(0);
    const message = page.locator(".letter", { hasText: "no answer in time" }).filter({ hasText: "hello" });
    await message.getByRole("button", { name: /^Retry/ }).click();
    // The answer that was stored once more, and the turn that ran once more.
    expect((await ann.told("answer", 2)).every((text) => text.includes("hello"))).toBe(true);
    await expect.poll(() => message.count()).toBe(0);
    expect(shown.daemon.run.logged("operator").map(({ action }) => action)).toEqual(["retry", "retry"]);
    await page.goto("/dashboard/dead");
    await page.getByRole("button", { name: "Retry all" }).click();
    await page.getByRole("button", { name: "Retry all now" }).click();
    await page.getByText("3 messages are tried again.").waitFor();
    await page.getByText("No dead letters").waitFor();
  });

  it("people are let in, turned away and shut out", async () => {
    const shown = await startDashboard();
    const page = await openAt(shown, "/people");
    const person = (name: string, role: string) =>
      page.locator(".person", { hasText: name }).filter({ hasText: role });
    await page.getByRole("button", { name: "Approve Nora Lindqvist" }).click();
    await person("Nora Lindqvist", "Paired").waitFor();
    await page.getByRole("button", { name: "Deny ravi_k" }).click();
    await page.getByText("No pending requests").waitFor();
    const { stdout } = await runHermes(shown.daemon.home, ["pairing", "list", "--json"]);
    const { pending, approved } = JSON.parse(stdout) as {
      pending: unknown[];
      approved: { userName: string }[];
    };
    expect(pending).toEqual([]);
    expect(approved.map(({ userName }) => userName)).toContain("Nora Lindqvist");
    await page.getByRole("button", { name: "Revoke kestrel" }).click();
    await page.getByRole("button", { name: "Revoke now" }).click();
    await expect.poll(() => person("kestrel", "Paired").count()).toBe(0);
    // One who asks while the page is open.
    const db = new Database(shown.daemon.file("state.db"));
    db.prepare(
      "INSERT INTO gw_pairing (id, platform, user_id, user_name, hash, salt, created_at) VALUES ('late', 'slack', 'U9', 'Late Lena', '0', '0', ?)",
    ).run(Date.now() / 1000);
    db.close();
    await page.locator(".request", { hasText: "Late Lena" }).waitFor();
  });

  it("the configuration is shown with its layers, and without secrets", async () => {
    const shown = common();
    const page = await openAt(shown, "/config");
    const setting = (path: string) => page.locator(`[data-path="${path}"]`);
    await setting("http.token").filter({ hasText: "****" }).filter({ hasText: "config.yaml:1" }).waitFor();
    expect(await page.locator("body").textContent()).not.toContain(TOKEN);
    await expect.poll(() => setting("timezone").count()).toBe(0);
    await page.getByLabel("Find a setting").fill("timezone");
    await setting("timezone").filter({ hasText: "default" }).waitFor();
  });
});

it("says what is missing where there is nothing", async () => {
  const shown = await startDashboard({ days: 0, traffic: 0 });
  const db = new Database(shown.daemon.file("state.db"));
  for (const table of ["messages", "sessions", "gw_inbox", "gw_outbox", "gw_pairing", "gw_tool_calls"])
    db.exec(`DELETE FROM ${table}`);
  db.close();
  const page = await openAt(shown, "/sessions");
  await page.getByText("No sessions yet").waitFor();
  for (const [path, text] of [
    ["/usage", "No usage in this period"],
    ["/messages", "No matching messages"],
    ["/audit", "No matching calls"],
    ["/dead", "No dead letters"],
    ["/people", "No pending requests"],
    ["/people", "No person matches"],
    ["/questions", "No open questions"],
    ["/memory", "Nothing is remembered yet"],
    ["/tools", "are remembered here"],
  ] as const) {
    await page.goto(`/dashboard${path}`);
    await page.getByText(text).waitFor();
  }
  await page.route("**/api/dashboard/sessions*", (route) =>
    route.fulfill({
      status: 500,
      json: { error: { code: "internal", message: "Something went wrong here" } },
    }),
  );
  complaints.splice(0);
  await page.goto("/dashboard/sessions");
  await page.getByRole("alert").filter({ hasText: "Something went wrong here" }).waitFor();
  complaints.splice(0);
  await page.unroute("**/api/dashboard/sessions*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("No sessions yet").waitFor();
});

/** The newest row of the queue is given up. */
function kill({ daemon }: Shown, table: "gw_inbox" | "gw_outbox", error: string): void {
  const db = new Database(daemon.file("state.db"));
  db.prepare(`UPDATE ${table} SET state = 'dead', error = ? WHERE id = (SELECT max(id) FROM ${table})`).run(
    error,
  );
  db.close();
}
