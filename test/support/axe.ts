import axe from "axe-core";
import type { Page } from "playwright-core";

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** What a theme can change. The other rules have the same result in both. */
export const THEME_RULES = ["color-contrast"];

/** What axe finds wrong with a page, one line each. */
export async function findFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ["violations"], preload: false, ...(rules ? { runOnly: rules } : {}) };
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe.source);
  const result = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResult;
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
  );
}
