import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { webPersonOf } from "../../src/policies/web-person.js";
import { calls, refuses, says } from "../emulators/model-server.js";
import { useBrowser } from "../support/browser.js";
import { gate } from "../support/gate.js";
import { asked, changed, loginPath, openPage, uploaded, useChat } from "./support/chat.js";
import { answers, openContext, openTab, questions, sees, spill, write } from "./support/page.js";
import { HOSTILE, MARKDOWN } from "./support/texts.js";

/** What hostile content does to the page: nothing. */
const browser = useBrowser();
const chat = useChat();

const BAD = "<img src=x onerror=window.hacked=1>";
const EVERYTHING = HOSTILE.join("\n\n");

async function isUnharmed(page: Page): Promise<void> {
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  const dangerous =
    ":is(script, iframe, object, embed, form, style, svg:not(.icon), [onclick], [onload], [onerror])";
  await expect.poll(() => page.locator(`.messages ${dangerous}, .row ${dangerous}, h1 *`).count()).toBe(0);
  const hrefs = await page
    .locator(".messages a")
    .evaluateAll((all) => all.map((a) => a.getAttribute("href") ?? ""));
  expect(hrefs.filter((href) => !/^(?:https?:\/\/|mailto:|\/api\/web\/|#$)/.test(href))).toEqual([]);
  const sources = await page
    .locator(".messages img")
    .evaluateAll((all) => all.map((img) => img.getAttribute("src") ?? ""));
  expect(sources.filter((src) => !src.startsWith("/api/web/"))).toEqual([]);
}

async function unfolded(page: Page): Promise<void> {
  await page.locator("details").evaluateAll((all) => {
    for (const one of all) (one as unknown as { open: boolean }).open = true;
  });
}

describe("hostile content", () => {
  it("stays text in answers, questions, titles, names, tools, sources, notices and shared pages", async () => {
    const { daemon, model, hits } = chat();
    hits.splice(0, hits.length, ...HOSTILE.map((content, i) => ({ title: BAD, url: urlOf(i), content })));
    const context = await openContext(browser(), daemon.url);
    const login = { person: webPersonOf("test:hostile"), name: BAD, owner: false };
    const page = await openTab(context, await loginPath(daemon, login));
    await page.waitForURL(`${daemon.url}/`);
    await page.getByRole("button", { name: BAD, exact: true }).waitFor();
    model.script(
      { ...calls(BAD, { a: BAD }), reasoning: [EVERYTHING] },
      calls("web_search", { query: BAD }),
      says(EVERYTHING),
    );
    const id = await asked(context, EVERYTHING);
    for (const one of HOSTILE) {
      model.script(says(one));
      await asked(context, one, { id });
    }
    model.script(refuses(400, BAD));
    await asked(context, `/${BAD}`, { id });
    await asked(context, "this fails", { id });
    model.script(calls("clarify", { question: EVERYTHING, choices: [BAD] }));
    await asked(context, "ask me", { id, waits: false });
    await changed(context, id, { title: BAD, pinned: true });
    await page.goto(`/c/${id}`);
    await page.getByRole("heading", { level: 1, name: BAD }).waitFor();
    await page.locator(".choices").getByRole("button", { name: BAD, exact: true }).waitFor();
    await page.locator("math").first().waitFor({ state: "attached" });
    await page.getByRole("region", { name: "Sources" }).waitFor();
    await unfolded(page);
    await isUnharmed(page);
    await page.getByRole("searchbox").fill("hacked");
    await page.locator(".row-snippet").first().waitFor();
    await isUnharmed(page);
    const made = await context.request.post(`/api/web/conversations/${id}/shares`, { data: {} });
    const reader = await openTab(context, ((await made.json()) as { path: string }).path);
    await reader.locator(".message.agent").first().waitFor();
    await isUnharmed(reader);
  }, 60_000);

  it("stays text while it is being written, cut anywhere", async () => {
    const { opened, open } = gate();
    const pieces = EVERYTHING.match(/[\s\S]{1,40}/g) ?? [];
    chat().model.script({ ...says(...pieces), gates: [{ after: pieces.length, opened }] });
    const page = await openPage(browser(), chat());
    await write(page, "Go");
    await page.locator(".live", { hasText: "autofocus" }).waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    open();
    await page.locator(".live").waitFor({ state: "detached" });
    await isUnharmed(page);
  });

  it("runs nothing from uploads", async () => {
    const { daemon } = chat();
    const context = await openContext(browser(), daemon.url);
    await context.request.get("/api/web/me");
    const script = "<script>fetch('/api/web/me'); parent.hacked = window.hacked = 1</script>";
    const files = [
      ["page.html", "text/html", `<body>${script}`],
      [
        "drawing.svg",
        "image/svg+xml",
        `<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked=1">${script}</svg>`,
      ],
      // Says that it is a picture.
      [BAD, "image/png", script],
    ] as const;
    const ids: string[] = [];
    for (const [name, type, body] of files) ids.push(await uploaded(context, name, type, Buffer.from(body)));
    const id = await asked(context, "look", { files: ids });
    const page = await openTab(context, `/c/${id}`);
    await questions(page).getByRole("link").nth(2).waitFor();
    await isUnharmed(page);
    for (const [i, file] of ids.entries()) {
      const answer = await context.request.get(`/api/web/files/${file}`);
      const headers = answer.headers();
      expect(headers["x-content-type-options"], files[i]![0]).toBe("nosniff");
      expect(headers["content-security-policy"]).toContain("sandbox");
      expect(headers["content-disposition"]).toMatch(/^attachment/);
    }
  });

  it("is drawn, however odd and long it is", async () => {
    const odd = ["**a ", "`b ", "[c](", "~~d ", "_e ", "> ", "- ", "$f ", "[^g]", "\\(", "|h"]
      .map((part) => part.repeat(2000))
      .join("\n");
    const context = await openContext(browser(), chat().daemon.url);
    const id = randomUUID();
    for (const text of [odd, "x".repeat(300_000), "The end"]) {
      chat().model.script(says(text));
      await asked(context, "go on", { id });
    }
    const page = await openTab(context, `/c/${id}`);
    await sees(page, "The end");
    expect(await spill(page)).toBe(0);
  });
});

describe("Markdown", () => {
  it("becomes headings, lists, tasks, tables, footnotes, maths and coloured code", async () => {
    chat().model.script(says(MARKDOWN));
    const page = await openPage(browser(), chat());
    await write(page, "Everything");
    await page.locator(".live").waitFor({ state: "detached" });
    const shown = answers(page).first();
    await shown.locator("math").first().waitFor();
    await shown.locator(".hljs-keyword").first().waitFor();
    const count = (selector: string) => shown.locator(selector).count();
    expect(await count("h2")).toBe(1);
    expect(await count("li.task")).toBe(2);
    expect(await count(".table table tbody tr")).toBe(2);
    expect(await count("math")).toBe(2);
    expect(await shown.locator("a").first().getAttribute("rel")).toContain("noopener");
    expect(await shown.textContent()).toContain("costs $5 and $10");
    await shown.locator(".footnote-mark").click();
    await shown.locator(".footnote:focus").waitFor();
    expect(await spill(page)).toBe(0);
  });
});

/** Some of them pages, some traps. */
function urlOf(i: number): string {
  const traps = [
    "javascript:window.hacked=1",
    "data:text/html,x",
    "//evil.example",
    "https://a@evil.example/",
  ];
  return traps[i] ?? `https://evil.example/"onclick="window.hacked=1?${i}`;
}
