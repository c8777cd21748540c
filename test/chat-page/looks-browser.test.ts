import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calls, refuses, says } from "../emulators/model-server.js";
import { ask } from "../http/support/request.js";
import { faultsOfBothThemes } from "../support/axe.js";
import { useBrowser } from "../support/browser.js";
import { gate } from "../support/gate.js";
import { until } from "../support/until.js";
import { asked, changed, conversationOf, openPage, uploaded, useChat } from "./support/chat.js";
import { composer, live, openContext, openTab, spill } from "./support/page.js";
import { MARKDOWN } from "./support/texts.js";

/** How the web chat's page looks, who can use it, and what it costs to load. */
const browser = useBrowser();
const chat = useChat();
/** Looked at by people: HERMES_SCREENSHOTS keeps them. */
const SHOTS = process.env.HERMES_SCREENSHOTS ?? fs.mkdtempSync(path.join(os.tmpdir(), "hermes-chat-"));

afterAll(() => {
  if (!process.env.HERMES_SCREENSHOTS) fs.rmSync(SHOTS, { recursive: true, force: true });
});

describe("looks", () => {
  const LOOKS = [
    { name: "desktop", width: 1200, height: 800 },
    { name: "phone", width: 390, height: 780 },
    { name: "small", width: 320, height: 640 },
  ] as const;
  /** One person, who is signed in once for all sizes. */
  let cookies: Awaited<ReturnType<BrowserContext["storageState"]>>;
  /** A conversation whose answer is being written, and one that waits for a decision. */
  let writing: string;
  let waiting: string;

  beforeAll(async () => {
    const { model, daemon, hits } = chat();
    const context = await browser().newContext({ baseURL: daemon.url });
    hits.push(
      { title: "How to brew green tea", url: "https://tea.example/brewing", content: "80 °C." },
      {
        title: "A rather long title of a page about tea and everything else",
        url: "https://a-long-host-name.example.org/x",
        content: "…",
      },
    );
    model.script(
      calls("web_search", { query: "tea" }),
      says(`${MARKDOWN}\nMEDIA:media/out/report-with-a-long-name.csv`),
    );
    fs.mkdirSync(daemon.file("media/out"), { recursive: true });
    fs.writeFileSync(daemon.file("media/out/report-with-a-long-name.csv"), "a,b");
    await context.request.get("/api/web/me");
    const file = await uploaded(context, "notes about everything.txt", "text/plain", Buffer.from("tea"));
    writing = await asked(context, "Show me what an answer looks like, please", { files: [file] });
    model.script({
      ...says("This answer is **being written**", "."),
      gates: [{ after: 1, opened: gate().opened }],
    });
    await asked(context, "And now one that takes long", { id: writing, waits: false });
    await until("it writes", async () =>
      (await conversationOf(context, writing)).turn?.text.includes("being"),
    );
    await asked(context, "And then?", { id: writing, waits: false });
    await changed(context, writing, { title: "A rather long title of a conversation about Markdown" });
    model.script(refuses(401, "Wrong key"));
    const failed = await asked(context, "This fails");
    model.script(calls("clarify", { question: "Delete **all** of it?", choices: ["Yes, delete it", "No"] }));
    waiting = await asked(context, "Clean up", { id: failed, waits: false });
    await until("it asks", async () =>
      (await conversationOf(context, waiting)).messages.some(
        (one) => "kind" in one && one.kind === "question",
      ),
    );
    cookies = await context.storageState();
    await context.close();
  }, 60_000);

  it.each(LOOKS)("are sound on a $name, light and dark", { timeout: 90_000 }, async (look) => {
    const context = await openContext(browser(), chat().daemon.url, { ...look, storageState: cookies });
    const page = await openTab(context);
    await live(page);
    const check = async (what: string) => {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page.screenshot({ path: path.join(SHOTS, `${look.name}-${what}-${colorScheme}.png`) });
        expect(await spill(page), what).toBe(0);
      }
      expect(await faultsOfBothThemes(page), what).toEqual([]);
    };
    await check("new");
    await page.goto(`/c/${waiting}`);
    await page.getByRole("button", { name: "Yes, delete it" }).waitFor();
    await check("question");
    await page.goto(`/c/${writing}`);
    await page.locator(".live strong").waitFor();
    await page.locator(".queued").waitFor();
    await page.locator("math").first().waitFor();
    await check("conversation");
    await page.locator("details.tool summary").first().click();
    await page.locator("#conversation").evaluate((box) => box.scrollTo(0, 0));
    await page.getByRole("button", { name: "Newest" }).waitFor();
    await composer(page).fill("/");
    await page.locator("#completion [role=option]").first().waitFor();
    await check("top");
    await composer(page).fill("");
    if (look.width < 600) await page.getByRole("button", { name: "Show your conversations" }).click();
    await page.locator(".row", { hasText: "A rather long title" }).hover();
    await page.getByRole("button", { name: /^Actions for A rather/ }).click();
    await check("menu");
    await page.getByRole("menuitem", { name: "Share" }).click();
    await page.getByRole("button", { name: "Create a link" }).click();
    await page.getByLabel("Link", { exact: true }).first().waitFor();
    await check("dialog");
  });

  it("move only for people who like it", async () => {
    const context = await openContext(browser(), chat().daemon.url, { storageState: cookies });
    const page = await openTab(context, `/c/${writing}`);
    await page.locator(".live .dots i").first().waitFor();
    const animations = () =>
      page.evaluate(`document.getAnimations().filter((one) => one.playState === "running").length`);
    expect(await animations()).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await expect.poll(animations).toBe(0);
  });

  it("lead the keyboard through the page", async () => {
    const page = await openPage(browser(), chat(), { width: 390, height: 780 });
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
    await page.keyboard.press("Enter");
    await composer(page).and(page.locator(":focus")).waitFor();
  });

  it("follow the reading order with the Tab key", async () => {
    const page = await openPage(browser(), chat());
    await page.getByRole("link", { name: "Skip to the message box" }).focus();
    const order: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(
        `(({ ariaLabel, labels, textContent }) => (ariaLabel ?? labels?.[0]?.textContent ?? textContent).trim())(document.activeElement)`,
      );
      order.push(String(name));
      if (name === "Message") break;
    }
    expect(order.slice(0, 3)).toEqual(["Hermes", "New chat", "Search conversations"]);
    expect(order.at(-1)).toBe("Message");
  });
});

describe("the page", () => {
  /** Bytes over the network, packed, for the empty page. */
  const BUDGET = 90_000;
  /** Scripts that run before it can be used, in milliseconds of the browser's own clock. */
  const INTERACTIVE_MS = 5000;

  it("is small and soon ready", async () => {
    const page = await openPage(browser(), chat());
    await composer(page).waitFor();
    const entries = (await page.evaluate(
      "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).map((e) => ({ name: e.name, size: e.transferSize }))",
    )) as { name: string; size: number }[];
    const total = entries.reduce((sum, { size }) => sum + size, 0);
    expect(total).toBeGreaterThan(20_000);
    expect(total).toBeLessThan(BUDGET);
    expect(entries.filter(({ name }) => /maths|highlight/.test(name))).toEqual([]);
    const ready = (await page.evaluate("performance.getEntriesByName('interactive')[0].startTime")) as number;
    expect(ready).toBeLessThan(INTERACTIVE_MS);
  });

  it("is served with its files, and nothing else", async () => {
    const { url } = chat().daemon;
    const page = await ask(url);
    expect(page.headers["content-type"]).toContain("text/html");
    expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//);
    const files = [...page.text.matchAll(/(?:src|href)="(\/chat\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const { status, headers } = await ask(url + file);
      const again = await ask(url + file, { headers: { "if-none-match": headers.etag! } });
      expect([file, status, again.status]).toEqual([file, 200, 304]);
    }
    for (const to of ["/chat/../package.json", "/chat/%2e%2e/package.json", "/chat/none.js"])
      expect((await ask(url + to)).status).toBe(404);
    expect((await ask(`${url}/shared/x`)).headers["x-robots-tag"]).toBe("noindex");
  });

  it("can be installed", async () => {
    const page = await openPage(browser(), chat());
    const session = await page.context().newCDPSession(page);
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
    // Contexts of tests are private windows, which Chromium reports and the headless shell doesn't.
    const ids = installabilityErrors.map(({ errorId }) => errorId);
    expect(ids.filter((id) => id !== "in-incognito")).toEqual([]);
    const { errors, data } = await session.send("Page.getAppManifest");
    expect(errors).toEqual([]);
    const { icons, start_url, display } = JSON.parse(data!) as {
      icons: { src: string; sizes: string }[];
      start_url: string;
      display: string;
    };
    expect([start_url, display]).toEqual(["/", "standalone"]);
    for (const { src } of icons) expect((await page.request.get(src)).status(), src).toBe(200);
    expect(icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(["192x192", "512x512"]));
  });
});
