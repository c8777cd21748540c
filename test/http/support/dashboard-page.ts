import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { faultsOfBothThemes } from "../../support/axe.js";
import { type Shown, TOKEN } from "./dashboard.js";

/** The cookie of the first login. All daemons have the same token, so it is good for all of them. */
let login: Awaited<ReturnType<BrowserContext["storageState"]>> | undefined;

/** A page of the dashboard, logged in. The test fails if the page reports an error. */
export async function openDashboard(
  browser: Browser,
  { daemon }: Pick<Shown, "daemon">,
  to: string,
): Promise<Page> {
  const context = await browser.newContext({
    baseURL: daemon.url,
    ...(login ? { storageState: login } : {}),
  });
  onTestFinished(() => context.close());
  if (!login) {
    await context.request.post("/login", { form: { token: TOKEN }, headers: { origin: daemon.url } });
    login = await context.storageState();
  }
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  onTestFinished(() => expect(complaints).toEqual([]));
  await page.goto(`/dashboard${to}`);
  return page;
}

/** No fault that axe finds, light or dark, and nothing wider than a phone. */
export async function expectFit(page: Page): Promise<void> {
  expect(await faultsOfBothThemes(page)).toEqual([]);
  for (const width of [320, 375, 768, 1200]) {
    await page.setViewportSize({ width, height: 844 });
    const spill = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    expect(await page.evaluate(spill), `at ${width}`).toBeLessThanOrEqual(0);
  }
}
