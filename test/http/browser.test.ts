import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { InboundMessage } from "../../src/message.js";
import { useBrowser } from "../support/browser.js";
import { StandIn, targetOf } from "./support/stand-in.js";

/** The web chat in a real browser, against a gateway made of scripted answers. */
const browser = useBrowser();
/** Looked at by people: HERMES_SCREENSHOTS keeps them. */
const SHOTS = process.env.HERMES_SCREENSHOTS ?? fs.mkdtempSync(path.join(os.tmpdir(), "hermes-web-"));

let gateway: StandIn;
const contexts: BrowserContext[] = [];
const complaints: string[] = [];

afterAll(() => {
  if (!process.env.HERMES_SCREENSHOTS) fs.rmSync(SHOTS, { recursive: true, force: true });
});

beforeEach(async () => {
  gateway = await new StandIn().start();
  gateway.onMessage = (message) => void echo(message);
});

afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  await gateway.stop();
  // A violated content policy or a script error fails every test.
  expect(complaints.splice(0)).toEqual([]);
});

async function echo(message: InboundMessage): Promise<void> {
  gateway.setSession(message.origin.chatId!, "s1", `About ${message.text}`.slice(0, 40));
  await gateway.say(targetOf(message), `You said: ${message.text}`);
}

interface Look {
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
}

async function openPage({ width = 1200, height = 800, colorScheme = "light" }: Look = {}): Promise<Page> {
  const context = await browser().newContext({
    viewport: { width, height },
    colorScheme,
    baseURL: gateway.url,
  });
  contexts.push(context);
  return openTab(context);
}

async function openTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/net::ERR_|503/.test(message.text())) complaints.push(message.text());
  });
  await page.goto("/");
  await connected(page);
  return page;
}

const connected = (page: Page) => page.locator("#connection[data-state=open]").waitFor();
const answers = (page: Page) => page.locator("#messages .message.bot");
const own = (page: Page) => page.locator("#messages .message.user");
const input = (page: Page) => page.getByRole("combobox", { name: "Message" });

async function write(page: Page, text: string): Promise<void> {
  await input(page).fill(text);
  await input(page).press("Enter");
}

describe("the web chat in a browser", () => {
  it("asks with buttons, and shows what was decided, also after a reload", async () => {
    const page = await openPage();
    const choices = [
      { id: "yes", label: "Allow <b>once</b>", style: "primary" as const },
      { id: "no", label: "Deny", style: "danger" as const },
    ];
    gateway.onMessage = (message) => {
      const ask = { id: "q1", choices };
      if (!message.choice) void gateway.say(targetOf(message), "May **I**?", "notice", null, ask);
      else
        void gateway.adapter.settleQuestion(
          targetOf(message),
          ["out:1"],
          "Ann: no",
          AbortSignal.timeout(5000),
        );
    };
    await write(page, "delete it");
    await page.getByRole("button", { name: "Allow <b>once</b>" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByText("Ann: no").waitFor();
    expect(await page.getByRole("button", { name: "Deny" }).count()).toBe(0);
    expect(gateway.inbox.at(-1)).toMatchObject({ choice: { choiceId: "no" }, text: "Deny" });
    await page.reload();
    await page.getByText("Ann: no").waitFor();
    expect(await answers(page).count()).toBe(1);
    expect(await page.getByRole("button", { name: "Deny" }).count()).toBe(0);
  });

  it("goes from an empty page to a streamed answer", async () => {
    const page = await openPage();
    await page.getByRole("heading", { name: "What can I do for you?" }).waitFor();
    expect(await page.title()).toBe("Hermes Gateway");

    const arrived = new Promise<InboundMessage>((resolve) => {
      gateway.onMessage = resolve;
    });
    await write(page, "Hello");
    const message = await arrived;
    const target = targetOf(message);
    gateway.adapter.type(target);
    await page.locator("#typing").waitFor();
    gateway.adapter.preview(target, "t1", "Half **an");
    await page.locator("#preview", { hasText: "Half **an" }).waitFor();
    gateway.adapter.preview(target, "t1", "Half **an** answer");
    await page.locator("#preview strong", { hasText: "an" }).waitFor();
    expect(await page.locator("#typing").isVisible()).toBe(false);

    gateway.setSession(message.origin.chatId!, "s1", "A greeting");
    await gateway.say(target, "Half **an** answer, and the rest.", "answer", "t1");
    await answers(page).filter({ hasText: "and the rest." }).waitFor();
    expect(await answers(page).count()).toBe(1);
    expect(await page.locator("#preview").isVisible()).toBe(false);
    expect(await page.locator("#empty").isVisible()).toBe(false);
    await page.getByRole("heading", { level: 1, name: "A greeting" }).waitFor();
    await page.locator("#sessions [aria-current=true]", { hasText: "A greeting" }).waitFor();
    expect(await page.title()).toBe("A greeting · Hermes");
    expect(await own(page).locator(".meta").textContent()).toMatch(/^\d/);
  });

  it("folds calls of tools, and shows what became of them", async () => {
    const page = await openPage();
    const arrived = new Promise<InboundMessage>((resolve) => {
      gateway.onMessage = resolve;
    });
    await write(page, "Look it up");
    const target = targetOf(await arrived);
    const call = { turnId: "t1", callId: "c1", tool: "web_search", args: '{"query":"<b>x</b>"}' };
    gateway.adapter.showTool(target, { ...call, state: "running" });
    await page.locator("details.tool.running", { hasText: "web_search" }).waitFor();
    gateway.adapter.showTool(target, { ...call, state: "done", seconds: 1.25 });
    const done = page.locator("details.tool.done");
    await done.waitFor();
    expect(await page.locator("details.tool").count()).toBe(1);
    await done.locator("summary").click();
    expect(await done.locator("pre").textContent()).toBe(call.args);
    await gateway.say(target, "Found.", "answer", "t1");
    await answers(page).filter({ hasText: "Found." }).waitFor();
  });

  it("keeps the conversation over a reload", async () => {
    const page = await openPage();
    await write(page, "Remember me");
    await answers(page).filter({ hasText: "You said: Remember me" }).waitFor();
    await page.reload();
    await answers(page).filter({ hasText: "You said: Remember me" }).waitFor();
    expect(await own(page).count()).toBe(1);
    await connected(page);
    await write(page, "Again");
    await answers(page).filter({ hasText: "You said: Again" }).waitFor();
    expect(await answers(page).count()).toBe(2);
  });

  it("shows one browser's chat in all its tabs, and to no other browser", async () => {
    const ann = await openPage();
    const annsOtherTab = await openTab(ann.context());
    const bob = await openPage();
    await write(ann, "Only Ann");
    for (const tab of [ann, annsOtherTab]) {
      await answers(tab).filter({ hasText: "You said: Only Ann" }).waitFor();
      expect(await own(tab).allInnerTexts()).toEqual([expect.stringContaining("Only Ann")]);
    }
    await write(bob, "Only Bob");
    await answers(bob).filter({ hasText: "You said: Only Bob" }).waitFor();
    expect(await bob.locator("body").textContent()).not.toContain("Ann");
    expect(await ann.locator("body").textContent()).not.toContain("Bob");
    await bob.reload();
    await answers(bob).filter({ hasText: "You said: Only Bob" }).waitFor();
    expect(await bob.locator("body").textContent()).not.toContain("Ann");
  });

  it("completes commands by keyboard", async () => {
    const page = await openPage();
    const options = page.getByRole("option");
    await input(page).pressSequentially("/");
    await options.first().waitFor();
    expect(await options.count()).toBe(7);
    expect(await input(page).getAttribute("aria-expanded")).toBe("true");
    await input(page).pressSequentially("re");
    await expect.poll(() => options.count()).toBe(2);
    await input(page).press("ArrowDown");
    expect(await page.locator("[role=option][aria-selected=true]").textContent()).toContain("/reset");
    await input(page).press("ArrowUp");
    await input(page).press("Tab");
    expect(await input(page).inputValue()).toBe("/resume ");
    expect(await options.count()).toBe(0);

    await input(page).fill("/st");
    await options.first().waitFor();
    await input(page).press("Escape");
    expect(await options.count()).toBe(0);
    expect(await input(page).inputValue()).toBe("/st");
    await input(page).pressSequentially("a");
    await options.first().waitFor();
    await input(page).press("Enter");
    expect(await input(page).inputValue()).toBe("/status");
    await input(page).press("Enter");
    await own(page).filter({ hasText: "/status" }).waitFor();

    // A name that is written out is sent at once.
    await input(page).pressSequentially("/help");
    await input(page).press("Enter");
    await own(page).filter({ hasText: "/help" }).waitFor();
    await input(page).pressSequentially("/ti");
    await page.getByRole("option", { name: "/title" }).click();
    expect(await input(page).inputValue()).toBe("/title ");
  });

  it("sends with Enter, breaks the line with Shift+Enter, and grows", async () => {
    const page = await openPage();
    const before = (await input(page).boundingBox())!.height;
    await input(page).pressSequentially("one");
    await input(page).press("Shift+Enter");
    await input(page).pressSequentially("two");
    expect((await input(page).boundingBox())!.height).toBeGreaterThan(before);
    await input(page).press("Enter");
    await answers(page).first().waitFor();
    expect(gateway.inbox.map(({ text }) => text)).toEqual(["one\ntwo"]);
    expect((await input(page).boundingBox())!.height).toBe(before);
    await input(page).fill("   ");
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
  });

  it("starts a new chat and goes back to an old one", async () => {
    const page = await openPage();
    await write(page, "First");
    const { chatId } = (await firstMessage()).origin;
    gateway.setSession(chatId!, "s2", "The second");
    await page.getByRole("button", { name: /About First/ }).click();
    await expect.poll(() => gateway.inbox.at(-1)?.text).toBe("/resume s1");
    await page.getByRole("button", { name: "New chat" }).click();
    await expect.poll(() => gateway.inbox.at(-1)?.text).toBe("/new");
  });

  it("keeps what couldn't be sent, over a reload, and sends it once", async () => {
    const page = await openPage();
    await write(page, "Before");
    await answers(page).first().waitFor();
    const port = Number(new URL(gateway.url).port);
    await gateway.stop();
    await page.locator("#connection[data-state=offline]").waitFor();
    await write(page, "While you were away");
    await own(page).filter({ hasText: "Sending…" }).waitFor();
    await gateway.start(port);
    await answers(page).filter({ hasText: "You said: While you were away" }).waitFor();
    await page.reload();
    await answers(page).filter({ hasText: "You said: While you were away" }).waitFor();
    expect(await own(page).count()).toBe(2);
    expect(gateway.inbox).toHaveLength(2);
  });

  it("recognises a message that arrived although its confirmation was lost", async () => {
    const page = await openPage();
    let isLost = true;
    await page.route("**/api/chat/messages", async (route) => {
      if (!isLost) return route.continue();
      isLost = false;
      await route.fetch();
      await route.abort();
    });
    await write(page, "Only once");
    await answers(page).filter({ hasText: "You said: Only once" }).waitFor();
    await expect.poll(() => own(page).filter({ hasText: "Sending…" }).count()).toBe(0);
    expect(await own(page).count()).toBe(1);
    expect(gateway.inbox).toHaveLength(1);
  });

  it("sends again what came too fast", async () => {
    const page = await openPage();
    let refusals = 2;
    await page.route("**/api/chat/messages", (route) => {
      if (refusals-- <= 0) return route.continue();
      return route.fulfill({
        status: 429,
        json: { error: { code: "refused", message: "Too many requests" } },
      });
    });
    await write(page, "Patience");
    await answers(page).filter({ hasText: "You said: Patience" }).waitFor();
    expect(await own(page).allInnerTexts()).toEqual([expect.stringContaining("Patience")]);
    complaints.splice(0); // the browser's own lines about the 429
  });

  it("says why a message was refused, and gives it back", async () => {
    const page = await openPage();
    await page.route("**/api/chat/messages", (route) =>
      route.fulfill({ status: 400, json: { error: { code: "invalid", message: "Too rude" } } }),
    );
    await write(page, "@!#");
    await own(page).filter({ hasText: "Not sent: Too rude." }).waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    expect(await input(page).inputValue()).toBe("@!#");
    expect(await own(page).count()).toBe(0);
    complaints.splice(0); // the browser's own line about the 400
  });

  it("brings what was missed while the connection was lost", async () => {
    const page = await openPage();
    await write(page, "Hi");
    await answers(page).first().waitFor();
    const target = targetOf(await firstMessage());
    const port = Number(new URL(gateway.url).port);
    await gateway.stop();
    await page.locator("#connection[data-state=offline]").waitFor();
    await gateway.say(target, "Said while nobody listened", "notice");
    await gateway.start(port);
    await page.locator("#messages .notice", { hasText: "nobody listened" }).waitFor();
    expect(await answers(page).count()).toBe(2);
  });
});

describe("with a token", () => {
  it("asks for it once", async () => {
    await gateway.stop();
    await gateway.start(0, "a-token-of-some-length");
    const context = await browser().newContext({ baseURL: gateway.url });
    contexts.push(context);
    const page = await context.newPage();
    await page.goto("/");
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("alert").filter({ hasText: "not the token" }).waitFor();
    await page.screenshot({ path: path.join(SHOTS, "login.png") });
    await page.getByLabel("Token").fill("a-token-of-some-length");
    await page.getByLabel("Token").press("Enter");
    await connected(page);
    await write(page, "Hello");
    await answers(page).filter({ hasText: "You said: Hello" }).waitFor();
  });
});

describe("what an answer looks like", () => {
  const HOSTILE = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "[click](javascript:window.hacked=1)",
    "[click](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>window.hacked=1</script>)",
    "![x](https://evil.example/pixel.png)",
    '<a href="javascript:window.hacked=1">a</a>',
    "`</code><svg onload=window.hacked=1>`",
    "```\n</pre><script>window.hacked = 1</script>\n```",
    "| <img src=x onerror=window.hacked=1> | b |\n|---|---|\n| <svg onload=window.hacked=1> | d |",
    '[a](https://example.com/"onmouseover="window.hacked=1)',
  ];

  it("stays text, even if it looks like HTML", async () => {
    const page = await openPage();
    await write(page, HOSTILE.join("\n"));
    const { origin, platform, account } = await firstMessage();
    await gateway.say(targetOf({ origin, platform, account }), HOSTILE.join("\n\n"), "answer");
    gateway.setSession(origin.chatId!, "s1", "<img src=x onerror=window.hacked=1>");
    await page.getByRole("heading", { level: 1, name: "<img src=x" }).waitFor();
    await expect.poll(() => answers(page).count()).toBe(2);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.locator("#messages :is(script, img, svg, iframe, object)").count()).toBe(0);
    const links = await page
      .locator("#messages a")
      .evaluateAll((all) => all.map((a) => (a as unknown as { protocol: string }).protocol));
    expect(links.length).toBeGreaterThan(0);
    expect(new Set(links)).toEqual(new Set(["https:"]));
    expect(await answers(page).last().textContent()).toContain("<script>window.hacked = 1</script>");
  });

  it("is drawn from Markdown", async () => {
    const page = await openPage();
    await write(page, "Show me");
    await gateway.say(targetOf(await firstMessage()), MARKDOWN);
    const shown = answers(page).filter({ hasText: "Everything" });
    await shown.waitFor();
    const count = (selector: string) => shown.locator(selector).count();
    expect(await count("h3")).toBe(1);
    expect(await shown.locator("strong").allInnerTexts()).toEqual(["bold", "three"]);
    expect(await shown.locator("em").allInnerTexts()).toEqual(["italic"]);
    expect(await shown.locator("ul > li").allInnerTexts()).toEqual(["one", "two\ninside", "inside", "three"]);
    expect(await shown.locator("ol > li").allInnerTexts()).toEqual(["first", "second"]);
    expect(await shown.locator("ol").getAttribute("start")).toBe("3");
    expect(await shown.locator("blockquote").textContent()).toBe("Quotedtwice");
    expect(await shown.locator("pre").textContent()).toBe('const a = "<b>";\n\nreturn a;');
    expect(await shown.locator("tbody tr").count()).toBe(2);
    expect(await shown.locator("tbody tr").first().locator("td").allInnerTexts()).toEqual([
      "Tea | green",
      "3",
    ]);
    expect(await shown.locator("a").first().getAttribute("rel")).toContain("noopener");
    expect(await shown.textContent()).toContain("snake_case_name and 2 * 3 * 4 and *not italic*");
  });

  it("can be copied from a code block", async () => {
    const page = await openPage();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await write(page, "Show me");
    await gateway.say(targetOf(await firstMessage()), MARKDOWN);
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe('const a = "<b>";\n\nreturn a;');
  });

  it("is drawn, however odd and long it is", async () => {
    const page = await openPage();
    await write(page, "Long");
    const target = targetOf(await firstMessage());
    const odd = ["**a ", "`b ", "[c](", "~~d ", "_e ", "> ", "- "]
      .map((part) => part.repeat(4000))
      .join("\n");
    await gateway.say(target, `${odd}\n\nThe end`);
    await answers(page).filter({ hasText: "The end" }).waitFor();
  });
});

describe("looks", () => {
  const LOOKS = [
    { name: "desktop-light", width: 1200, height: 800, colorScheme: "light" },
    { name: "desktop-dark", width: 1200, height: 800, colorScheme: "dark" },
    { name: "phone-light", width: 390, height: 780, colorScheme: "light" },
    { name: "phone-dark", width: 390, height: 780, colorScheme: "dark" },
  ] as const;

  it.each(LOOKS)("fit the screen: $name", async (look) => {
    const page = await openPage(look);
    const shoot = (what: string) => page.screenshot({ path: path.join(SHOTS, `${look.name}-${what}.png`) });
    await shoot("empty");
    gateway.onMessage = () => {};
    await write(page, "Show me what an answer looks like, please");
    const message = await firstMessage();
    const target = targetOf(message);
    await gateway.say(target, MARKDOWN);
    await write(page, "/status");
    await gateway.say(target, "**Session** A greeting\nNext reset: today at 04:00 (daily)", "command");
    await gateway.say(
      target,
      "A fresh session began: the old one was idle for a day. `/resume` brings it back.",
      "notice",
    );
    gateway.setSession(message.origin.chatId!, "s0", "Planning the trip to Rome");
    gateway.setSession(
      message.origin.chatId!,
      "s1",
      "A rather long title of a session about Markdown and its looks",
    );
    await page.locator("#messages .notice").waitFor();
    gateway.adapter.preview(target, "t9", "This answer is **being written**, word by");
    await page.locator("#preview strong").waitFor();
    await shoot("chat");
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await page.locator("#scroll").evaluate((scroll) => scroll.scrollTo(0, 0));
    await page.locator("#to-end").waitFor();
    await shoot("top");
    await input(page).fill("/");
    await page.getByRole("option").first().waitFor();
    await shoot("completion");
    await input(page).fill("");
    if (look.width > 600) return;
    await page.getByRole("button", { name: "Show your sessions" }).click();
    await page.locator("#sessions button").first().waitFor();
    await page.evaluate(
      "Promise.all(document.getAnimations().filter((a) => a.transitionProperty).map((a) => a.finished))",
    );
    await shoot("sessions");
    await page.locator("#side-close:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#shade").waitFor({ state: "hidden" });
    await page.locator("#side-open:focus").waitFor();
  });
});

async function firstMessage(): Promise<InboundMessage> {
  await expect.poll(() => gateway.inbox.length).toBeGreaterThan(0);
  return gateway.inbox[0]!;
}

const MARKDOWN = `# Everything at once

A paragraph with **bold**, *italic*, \`inline code\`, a [link](https://example.com/a_(b)) and https://example.org/path.
snake_case_name and 2 * 3 * 4 and \\*not italic\\*

- one
- two
  - inside
- **three**

3. first
4. second

> Quoted
> twice

\`\`\`ts
const a = "<b>";

return a;
\`\`\`

| Thing | Price |
|:------|------:|
| Tea \\| green | 3 |
| Coffee | 4 |
`;
