import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../http/support/request.js";
import { useBrowser } from "../support/browser.js";
import { PNG } from "../support/pictures.js";
import { until } from "../support/until.js";
import {
  answers,
  composer,
  findFaults,
  live,
  openContext,
  openTab,
  questions,
  sees,
  spill,
  write,
} from "./support/page.js";
import { ChatStandIn } from "./support/stand-in.js";

/** How the web chat's page looks, who can use it, and what hostile content does to it: nothing. */
const browser = useBrowser();
/** Looked at by people: HERMES_SCREENSHOTS keeps them. */
const SHOTS = process.env.HERMES_SCREENSHOTS ?? fs.mkdtempSync(path.join(os.tmpdir(), "hermes-chat-"));
let gateway: ChatStandIn;

beforeEach(async () => {
  gateway = await new ChatStandIn().start();
});

afterEach(() => gateway.stop());
afterAll(() => {
  if (!process.env.HERMES_SCREENSHOTS) fs.rmSync(SHOTS, { recursive: true, force: true });
});

const openPage = async (to = "/") => openTab(await openContext(browser(), gateway.url), to);

const HOSTILE = [
  "<script>window.hacked = 1</script>",
  "<img src=x onerror=window.hacked=1>",
  "<svg onload=window.hacked=1><a xlink:href='javascript:window.hacked=1'><text>x</text></a></svg>",
  "[a](javascript:window.hacked=1) [b](data:text/html,<script>window.hacked=1</script>)",
  "[c](vbscript:x) [d](JaVaScRiPt:window.hacked=1) [e](&#106;avascript:window.hacked=1)",
  "![x](https://evil.example/pixel.png) ![y](javascript:window.hacked=1) ![z](//evil.example/p.png)",
  '<a href="javascript:window.hacked=1">a</a> <iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  "`</code><svg onload=window.hacked=1>`",
  "```html\n</pre><script>window.hacked = 1</script>\n```",
  '```"onmouseover="window.hacked=1\nx\n```',
  "| <img src=x onerror=window.hacked=1> | b |\n|---|---|\n| <svg onload=window.hacked=1> | d |",
  '[a](https://example.com/"onmouseover="window.hacked=1 "t"onclick="window.hacked=1")',
  "$\\href{javascript:window.hacked=1}{x}$ $$\\htmlData{x=y}{z} \\includegraphics{https://evil.example/p.png}$$",
  "<math><mtext><table><mglyph><style><img src=x onerror=window.hacked=1></style></mglyph></table></mtext></math>",
  '<details open ontoggle=window.hacked=1><summary>x</summary></details> <p style="position:fixed">y</p>',
  '[^a"onclick="window.hacked=1]: note [^1]\n\n[^1]: <img src=x onerror=window.hacked=1>',
  "<form action=https://evil.example><button>x</button></form><input autofocus onfocus=window.hacked=1>",
];

async function isUnharmed(page: Page): Promise<void> {
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  const dangerous =
    ":is(script, iframe, object, embed, form, style, svg:not(.icon), [onclick], [onload], [onerror])";
  expect(await page.locator(`.messages ${dangerous}`).count()).toBe(0);
  const hrefs = await page
    .locator(".messages a")
    .evaluateAll((all) => all.map((a) => a.getAttribute("href") ?? ""));
  expect(hrefs.filter((href) => !/^(?:https?:\/\/|mailto:|\/api\/web\/|#$)/.test(href))).toEqual([]);
  const sources = await page
    .locator(".messages img")
    .evaluateAll((all) => all.map((img) => img.getAttribute("src") ?? ""));
  expect(sources.filter((src) => !src.startsWith("/api/web/"))).toEqual([]);
}

describe("hostile content", () => {
  it("stays text in answers, questions, titles, names, tools and notices", async () => {
    const id = randomUUID();
    const everything = HOSTILE.join("\n\n");
    const [bad] = ["<img src=x onerror=window.hacked=1>"];
    const call = {
      callId: "c",
      tool: bad,
      args: `{"a":"${bad}"}`,
      state: "done" as const,
      result: bad,
      seconds: 1,
    };
    const file = { name: bad, mimeType: "text/html", bytes: 5, url: "/api/web/files/none", picture: false };
    gateway.me = { ...gateway.me, person: { ...gateway.me.person, name: bad, signedIn: true } };
    gateway.question(id, everything);
    gateway.say(id, everything, { tools: [call], files: [file], reasoning: everything });
    for (const one of HOSTILE) gateway.say(id, one);
    gateway.notice(id, everything, { kind: "question", buttons: [{ label: bad, data: "x" }] });
    gateway.change(id, { title: bad, titled: true, pinned: true });
    const page = await openPage(`/c/${id}`);
    await page.getByRole("heading", { level: 1, name: "<img src=x" }).waitFor();
    await page.getByRole("button", { name: bad, exact: true }).first().waitFor();
    await page.locator("math").first().waitFor({ state: "attached" });
    await page.locator("details").evaluateAll((all) => {
      for (const one of all) (one as unknown as { open: boolean }).open = true;
    });
    await isUnharmed(page);
    gateway.begin(id);
    for (const char of everything.match(/[\s\S]{1,40}/g) ?? []) gateway.write(id, char);
    await page.locator(".live .md").waitFor();
    gateway.finish(id);
    await page.locator(".live").waitFor({ state: "detached" });
    await isUnharmed(page);
    await page.getByRole("searchbox").fill("<img");
    await page.locator(".row-snippet").waitFor();
    await isUnharmed(page);
  });

  it("is drawn, however odd and long it is", async () => {
    const id = randomUUID();
    const odd = ["**a ", "`b ", "[c](", "~~d ", "_e ", "> ", "- ", "$f ", "[^g]", "\\(", "|h"]
      .map((part) => part.repeat(2000))
      .join("\n");
    gateway.say(id, odd);
    gateway.say(id, "x".repeat(300_000));
    gateway.say(id, "The end");
    const page = await openPage(`/c/${id}`);
    await sees(page, "The end");
    expect(await spill(page)).toBe(0);
  });
});

describe("Markdown", () => {
  it("becomes headings, lists, tasks, tables, footnotes, maths and coloured code", async () => {
    const id = randomUUID();
    gateway.say(id, MARKDOWN);
    const page = await openPage(`/c/${id}`);
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

describe("files", () => {
  const png = { name: "cat.png", mimeType: "image/png", buffer: PNG };

  it("are chosen, shown while they are sent, and part of the message", async () => {
    const page = await openPage();
    await live(page);
    await page.getByLabel("Files", { exact: true }).setInputFiles([png]);
    await page.locator(".attachment[data-state=done]").waitFor();
    await write(page, "What is this?");
    await questions(page).getByRole("img", { name: "cat.png" }).waitFor();
    expect(gateway.sent[0]!.files).toHaveLength(1);
    expect(await page.locator(".attachment").count()).toBe(0);
  });

  it("are dropped and pasted", async () => {
    const page = await openPage();
    await live(page);
    const bring = (kind: "drop" | "paste") =>
      page.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File(["hello"], "${kind}.txt", { type: "text/plain" }));
        const target = document.getElementById("message");
        const event = "${kind}" === "drop"
          ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
        target.dispatchEvent(event);
      })()`);
    await bring("drop");
    await bring("paste");
    await expect.poll(() => page.locator(".attachment[data-state=done]").count()).toBe(2);
    await page.getByRole("button", { name: "Remove drop.txt" }).click();
    await composer(page).press("Enter");
    await until("it is sent", () => gateway.sent.length === 1);
    expect([...gateway.uploads.values()].map(({ name }) => name).sort()).toEqual(["drop.txt", "paste.txt"]);
    expect(gateway.sent[0]!.files).toHaveLength(1);
  });

  it("that are too large or too many are named, and keep the message from being sent", async () => {
    const page = await openPage();
    await live(page);
    const large = { name: "large.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(200_001) };
    await page.getByLabel("Files", { exact: true }).setInputFiles([large]);
    await page.getByText("Larger than 200 KB").waitFor();
    await composer(page).fill("Here it is");
    await composer(page).press("Enter");
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Remove large.bin" }).click();
    await page
      .getByLabel("Files", { exact: true })
      .setInputFiles([1, 2, 3, 4].map((i) => ({ ...png, name: `${i}.png` })));
    await page.getByText("A message can have 3 files.").waitFor();
    expect(gateway.sent).toEqual([]);
  });
});

describe("sharing", () => {
  it("makes a link to read, which can be revoked", async () => {
    const id = randomUUID();
    gateway.question(id, "A question");
    gateway.say(id, "An **answer**");
    gateway.change(id, { title: "Marmots", titled: true });
    const page = await openPage(`/c/${id}`);
    await page.locator(".row").hover();
    await page.getByRole("button", { name: "Actions for Marmots" }).click();
    await page.getByRole("menuitem", { name: "Share" }).click();
    await page.getByRole("button", { name: "Create a link" }).click();
    const link = await page.getByLabel("Link", { exact: true }).inputValue();
    const reader = await openPage(new URL(link).pathname);
    await reader.locator("strong", { hasText: "answer" }).waitFor();
    expect(await findFaults(reader)).toEqual([]);
    expect(await composer(reader).count()).toBe(0);
    await page.getByRole("button", { name: "Revoke" }).click();
    await expect.poll(() => gateway.shares.length).toBe(0);
    await reader.reload();
    await reader.getByText("This link has expired or was revoked.").waitFor();
  });
});

describe("signing in", () => {
  it("works with a password, lists devices, and signs out", async () => {
    const page = await openPage();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Name").fill("ann");
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The name or the password is wrong").waitFor();
    await page.getByLabel("Password").fill("right");
    await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Ann" }).click();
    await page.getByText("Safari on iPhone").waitFor();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByText("Safari on iPhone").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Sign out here" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
  });
});

describe("looks", () => {
  const LOOKS = [
    { name: "desktop", width: 1200, height: 800 },
    { name: "phone", width: 390, height: 780 },
    { name: "small", width: 320, height: 640 },
  ] as const;

  it.each(LOOKS)("are sound on a $name, light and dark", { timeout: 60_000 }, async (look) => {
    const id = randomUUID();
    const tool = { callId: "a", tool: "web_search", args: '{"q":"tea"}', result: "3 results", seconds: 1.2 };
    gateway.question(id, "Show me what an answer looks like, please");
    gateway.say(id, MARKDOWN, {
      tools: [{ ...tool, state: "done" }],
      files: [
        {
          name: "report-with-a-long-name.pdf",
          mimeType: "application/pdf",
          bytes: 12_345,
          url: "/x",
          picture: false,
        },
      ],
      usage: { model: "large", inputTokens: 900, outputTokens: 100, costUsd: 0.01, seconds: 4 },
    });
    gateway.notice(id, "Delete it?", {
      kind: "question",
      buttons: [{ label: "Yes", data: "y", style: "danger" }],
    });
    gateway.begin(id);
    gateway.write(id, "This answer is **being written**");
    gateway.tool(id, { ...tool, callId: "b", state: "running", result: null });
    gateway
      .talk(id)
      .queued.push({ clientId: randomUUID(), text: "And then?", files: [], at: Date.now() / 1000 });
    gateway.change(id, { title: "A rather long title of a conversation about Markdown", titled: true });
    const page = await openTab(await openContext(browser(), gateway.url, look));
    await live(page);
    const check = async (what: string) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.screenshot({ path: path.join(SHOTS, `${look.name}-${what}-${colorScheme}.png`) });
        expect(await findFaults(page), `${what}, ${colorScheme}`).toEqual([]);
        expect(await spill(page), what).toBe(0);
      }
    };
    await check("new");
    await page.goto(`/c/${id}`);
    await page.locator(".live strong").waitFor();
    await page.locator("math").first().waitFor();
    await page.locator("details.tool summary").first().click();
    await check("conversation");
    await page.locator("#conversation").evaluate((box) => box.scrollTo(0, 0));
    await page.getByRole("button", { name: "Newest" }).waitFor();
    await composer(page).fill("/");
    await page.locator("#completion [role=option]").first().waitFor();
    await check("top");
    await composer(page).fill("");
    if (look.width < 600) await page.getByRole("button", { name: "Show your conversations" }).click();
    await page.locator(".row").hover();
    await page.getByRole("button", { name: /^Actions for/ }).click();
    await check("menu");
    await page.getByRole("menuitem", { name: "Share" }).click();
    await page.getByRole("button", { name: "Create a link" }).click();
    await page.getByLabel("Link", { exact: true }).waitFor();
    await check("dialog");
  });

  it("lead the keyboard through the page", async () => {
    const page = await openTab(await openContext(browser(), gateway.url, { width: 390, height: 780 }));
    const opener = page.getByRole("button", { name: "Show your conversations" });
    await opener.click();
    await page
      .getByRole("button", { name: "Close the list of conversations" })
      .and(page.locator(":focus"))
      .waitFor();
    await page.keyboard.press("Escape");
    await opener.and(page.locator(":focus")).waitFor();
    await page.locator(".side").waitFor({ state: "hidden" });
    await page.keyboard.press("Shift+Tab");
    await page.getByRole("link", { name: "Skip to the message box" }).and(page.locator(":focus")).waitFor();
  });
});

describe("the page", () => {
  /** Bytes over the network, packed, for the empty page. */
  const BUDGET = 90_000;
  const INTERACTIVE_MS = 5000;

  it("is small and soon ready", async () => {
    const page = await openPage();
    await composer(page).waitFor();
    await live(page);
    const entries = (await page.evaluate(
      "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).map((e) => ({ name: e.name, size: e.transferSize }))",
    )) as { name: string; size: number }[];
    const total = entries.reduce((sum, { size }) => sum + size, 0);
    expect(total).toBeLessThan(BUDGET);
    expect(entries.filter(({ name }) => /maths|highlight/.test(name))).toEqual([]);
    const ready = (await page.evaluate(
      "performance.getEntriesByType('navigation')[0].domInteractive",
    )) as number;
    expect(ready).toBeLessThan(INTERACTIVE_MS);
  });

  it("is served with its files, and nothing else", async () => {
    const page = await ask(gateway.url);
    expect(page.headers["content-type"]).toContain("text/html");
    expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//);
    const files = [...page.text.matchAll(/(?:src|href)="(\/chat\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const { status, headers } = await ask(gateway.url + file);
      const again = await ask(gateway.url + file, { headers: { "if-none-match": headers.etag! } });
      expect([file, status, again.status]).toEqual([file, 200, 304]);
    }
    for (const to of ["/chat/../package.json", "/chat/%2e%2e/package.json", "/chat/none.js"])
      expect((await ask(gateway.url + to)).status).toBe(404);
    expect((await ask(`${gateway.url}/shared/x`)).headers["x-robots-tag"]).toBe("noindex");
  });

  it("can be installed", async () => {
    const page = await openPage();
    const href = await page.locator("link[rel=manifest]").getAttribute("href");
    const manifest = (await (await page.request.get(href!)).json()) as {
      icons: { src: string }[];
      start_url: string;
    };
    expect(manifest.start_url).toBe("/");
    for (const { src } of manifest.icons) expect((await page.request.get(src)).status()).toBe(200);
  });
});

const MARKDOWN = `# Everything at once

A paragraph with **bold**, \`code\`, a [link](https://example.com/a_(b)) and maths $e^{i\\pi}$.[^1] It costs $5 and $10.

- one
- [x] done
- [ ] open

> Quoted

\`\`\`ts
const a = "<b>"; // a rather long comment that makes this line of code wider than a small screen has room for
\`\`\`

| Thing | Price | Note |
|:------|------:|------|
| Tea \\| green | 3 | a long text in the last column, which makes the table wide |
| Coffee | 4 | black |

$$\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}$$

[^1]: Euler.
`;
