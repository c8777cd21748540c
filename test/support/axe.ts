import axe from "axe-core";
import type { Page } from "playwright-core";

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** What a theme can change. The other rules have the same result in both. */
const THEME_RULES = ["color-contrast"];

/** An element that fades in has the wrong colours until it is there. */
const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
  .map((one) => one.finished)).then(() => undefined)`;

/** What axe finds wrong with a page, one line each. */
export async function findFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ["violations"], preload: false, ...(rules ? { runOnly: rules } : {}) };
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
  await page.evaluate(SETTLED);
  const result = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResult;
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
  );
}

/** Light and dark. The page is light afterwards. */
export async function faultsOfBothThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await findFaults(page, THEME_RULES);
  await page.emulateMedia({ colorScheme: "light" });
  return [...dark.map((fault) => `dark: ${fault}`), ...(await findFaults(page))];
}
