import type { Page } from "playwright-core";

/** All pages that links of the dashboard lead to, and what is asked of each. */

/** axe looks at the widest and the narrowest. */
export const SIZES: readonly { width: number; height: number; axe: boolean }[] = [
  { width: 1280, height: 800, axe: true },
  { width: 390, height: 844, axe: false },
  { width: 320, height: 640, axe: true },
];

const MOST = 60;

/** Goes to a place and waits until what it shows is there. */
export async function visit(page: Page, place: string): Promise<void> {
  await page.setViewportSize(SIZES[0]!);
  await page.goto(`/dashboard${place}`);
  await page.locator("main h1").waitFor();
  await page.locator(".connection[data-state=live]").waitFor();
  await page.waitForFunction("!document.querySelector('main .loading, main [aria-busy=true]')");
  // The next frame includes the last response.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/**
 * Goes to every place that a link leads to, one of each kind: `/sessions/1` and `/sessions/2` are the same page. Yields it when
 * it is shown.
 */
export async function* everyPage(page: Page, more: readonly string[]): AsyncGenerator<string> {
  const found = new Map<string, string>([["/", "/"]]);
  for (const place of more) found.set(place, place);
  for (const place of found.values()) {
    if (found.size > MOST) throw new Error(`More than ${MOST} pages: ${[...found.keys()].join(" ")}`);
    await visit(page, place);
    const links = (await page.evaluate(
      `[...document.querySelectorAll("a[href^='/dashboard']:not([download])")].map((a) => a.getAttribute("href"))`,
    )) as string[];
    for (const link of links) {
      const { pathname, search } = new URL(link, "http://localhost");
      const to = pathname.slice("/dashboard".length) || "/";
      const query = search === "" ? "" : `?${[...new URLSearchParams(search).keys()].toSorted()}`;
      const kind = `${kindOf(to)}${query}`;
      if (!found.has(kind)) found.set(kind, to + search);
    }
    yield place;
  }
}

/** `/sessions/20260616_091523` → `/sessions/*`. */
function kindOf(to: string): string {
  const [, first = "", ...rest] = to.split("/");
  return [`/${first}`, ...rest.map((_, i) => (i % 2 === 0 ? "*" : rest[i]))].join("/");
}

export async function openAll(page: Page): Promise<void> {
  await page.locator("main details").evaluateAll((all) => {
    for (const one of all) (one as unknown as { open: boolean }).open = true;
  });
}

/** What makes the page scroll sideways, or ends outside of its card: names of elements. */
export async function spillOf(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const root = document.documentElement;
    const nameOf = (node) => node.localName + (node.id && "#" + node.id) +
      [...node.classList].map((one) => "." + one).join("");
    const scrolls = (node) => {
      for (let one = node.parentElement; one && one !== document.body; one = one.parentElement)
        if (getComputedStyle(one).overflowX !== "visible") return true;
      return false;
    };
    const filters = [...document.querySelectorAll(".filters")].filter((one) => one.scrollWidth > one.clientWidth);
    const wide = [...document.querySelectorAll("main *")].filter((node) =>
      node.getBoundingClientRect().right > root.clientWidth + 1 && !node.closest(".unseen, svg") && !scrolls(node));
    const all = root.scrollWidth > root.clientWidth ? [root, ...wide] : wide;
    return [...new Set([...all, ...filters].map(nameOf))].slice(0, 5);
  })()`) as Promise<string[]>;
}
