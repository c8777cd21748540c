import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";

export interface Look {
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
  /** Of another context: the same person. */
  storageState?: Awaited<ReturnType<BrowserContext["storageState"]>>;
}

/** What the page complained about: a violated policy or a script error fails the test. */
const complaints: string[] = [];

export async function openContext(browser: Browser, url: string, look: Look = {}): Promise<BrowserContext> {
  const { width = 1200, height = 800, colorScheme = "light", storageState } = look;
  const context = await browser.newContext({
    ...{ viewport: { width, height }, colorScheme, baseURL: url },
    ...(storageState ? { storageState } : {}),
  });
  onTestFinished(async () => {
    await context.close();
    expect(complaints.splice(0)).toEqual([]);
  });
  return context;
}

export async function openTab(context: BrowserContext, path = "/"): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // The browser's own lines about what a test provokes.
    if (message.type() === "error" && !/net::ERR_|status of (?:40[034]|503)/.test(message.text()))
      complaints.push(message.text());
  });
  await page.goto(path);
  return page;
}

export const composer = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });
export const answers = (page: Page) => page.locator(".message.agent");
export const questions = (page: Page) => page.locator(".messages .message.user");
export const live = (page: Page) =>
  page.locator(".connection[data-state=live]").waitFor({ state: "attached" });

export async function write(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}

export const sees = (page: Page, text: string | RegExp) =>
  answers(page).filter({ hasText: text }).last().waitFor();

/** Pixels by which the page is too wide. */
export const spill = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
