import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { forSeveral } from "../support/at-end.js";
import { faultsOfBothThemes, findFaults } from "../support/axe.js";
import { useBrowser } from "../support/browser.js";
import { Daemon } from "../support/daemon.js";
import { ask } from "./support/request.js";

/** The documentation that the real daemon serves at /docs. */

const browser = useBrowser();
let shared: { made: Daemon; end(): Promise<void> };
beforeAll(async () => {
  shared = await forSeveral(() => new Daemon({ yaml: "" }).start());
}, 60_000);
afterAll(() => shared?.end());
const url = (path: string) => `${shared.made.url}${path}`;

async function openAt(path: string, width: number, colorScheme: "light" | "dark" = "light"): Promise<Page> {
  const context = await browser().newContext({ viewport: { width, height: 800 }, colorScheme });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  onTestFinished(() => expect(complaints).toEqual([]));
  await page.goto(url(path));
  return page;
}

const SPILL = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
const WIDTHS = [1280, 320];

describe("the pages", () => {
  it.each(WIDTHS)("are found by a search and read, %i pixels wide", async (width) => {
    const page = await openAt("/docs/", width);
    await page.keyboard.press("/");
    await page.keyboard.type("possible repeat hold");
    const hit = page.locator(".results li a", { hasText: "Telegram › Good to know" });
    await hit.waitFor();
    expect(await page.locator(".found").textContent()).toMatch(/^\d+ results?$/);
    await expect.poll(() => hit.locator("mark").count()).toBeGreaterThan(0);
    expect(await findFaults(page)).toEqual([]);
    expect(await page.evaluate(SPILL)).toBe(0);
    await hit.click();
    await page.waitForURL("**/docs/platforms/telegram.html#good-to-know");
    await page.getByRole("heading", { name: "Good to know" }).waitFor();
    await page.getByRole("link", { name: "Next Discord" }).click();
    await page.getByRole("heading", { level: 1, name: "Discord" }).waitFor();
  });

  it("say so when a search finds nothing, and Escape closes it", async () => {
    const page = await openAt("/docs/", 1280);
    await page.getByLabel("Search the documentation").fill("xylophone <b>");
    await page.getByText("Nothing found. Try fewer or other words.").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".results").waitFor({ state: "hidden" });
  });

  it("have no fault that axe finds, light or dark", { timeout: 120_000 }, async () => {
    for (const path of ["", "tutorial.html", "delivery.html", "guides/behind-a-proxy.html"]) {
      const page = await openAt(`/docs/${path}`, 1280);
      expect(await faultsOfBothThemes(page), path).toEqual([]);
    }
  });

  it("are never wider than the screen", { timeout: 120_000 }, async () => {
    const page = await openAt("/docs/", 320);
    const links = await page.locator("#nav a").evaluateAll((all) => all.map((one) => String(one)));
    expect(links.length).toBeGreaterThan(30);
    for (const link of links) {
      await page.goto(link);
      expect(await page.evaluate(SPILL), link).toBe(0);
    }
  });

  it("have a menu on a phone, and remember the theme", async () => {
    const page = await openAt("/docs/", 320);
    const link = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Resets" });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Menu" }).click();
    expect(await page.evaluate(SPILL)).toBe(0);
    await link.click();
    await page.getByRole("heading", { level: 1, name: "Resets" }).waitFor();
    const paper = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await paper();
    await page.getByRole("button", { name: "Dark" }).click();
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await paper()).toBe(dark);
  });
});

describe("over HTTP", () => {
  it("answers with types, tags and kept assets", async () => {
    const start = await fetch(url("/docs"));
    expect(start.url).toBe(url("/docs/"));
    expect(start.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(start.headers.get("cache-control")).toBe("no-cache");
    expect((await fetch(url("/docs/tutorial"))).url).toBe(url("/docs/tutorial.html"));
    const etag = start.headers.get("etag")!;
    const again = await fetch(url("/docs/index.html"), { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
    const [asset] = /assets\/docs-\w+\.css/.exec(await start.text())!;
    const css = await fetch(url(`/docs/${asset}`));
    expect(css.headers.get("cache-control")).toContain("immutable");
    const picture = await fetch(url("/docs/images/web-chat.png"));
    expect(picture.headers.get("content-type")).toBe("image/png");
  });

  it.each([
    "/docs/../package.json",
    "/docs/..%2f..%2fpackage.json",
    "/docs/%2e%2e/%2e%2e/package.json",
    "/docs/.hidden.html",
    "/docs//etc/passwd.html",
    "/docs/guides",
    "/docs/nowhere.html",
    `/docs/${"a/".repeat(200)}a.html`,
  ])("has nothing at %s", async (path) => {
    const { status, text } = await ask(url(path));
    expect(status).toBe(404);
    expect(text).not.toContain("hermes-gateway");
  });

  it("asks for the token where one is set", async () => {
    const daemon = await new Daemon({ yaml: "http: {token: a-token-of-some-length}\n" }).start();
    const page = await fetch(`${daemon.url}/docs/`, { headers: { accept: "text/html" } });
    expect(page.url).toBe(`${daemon.url}/login?next=%2Fdocs%2F`);
    expect((await fetch(`${daemon.url}/docs/index.html`)).status).toBe(401);
  });
});
