/** Routing. The address bar is the source of truth, so links, reload and the back button work. */
import { signal } from "@preact/signals";

export const BASE = "/dashboard";

export interface Place {
  /** Below the base: `/`, `/sessions/20260616_091523_2e8c7d42`. */
  path: string;
  query: URLSearchParams;
}

export const place = signal<Place>(read());

function read(): Place {
  const { pathname, search } = window.location;
  const path = pathname.startsWith(BASE) ? pathname.slice(BASE.length).replace(/\/$/, "") : "";
  return { path: path || "/", query: new URLSearchParams(search) };
}

export function startRouter(): void {
  history.scrollRestoration = "manual";
  window.addEventListener("popstate", (event) => {
    place.value = read();
    restoreScroll((event.state as { scroll?: number } | null)?.scroll ?? 0);
  });
  document.addEventListener("click", onClick);
}

/** Handles plain clicks on dashboard links; the browser handles the rest (new tabs, downloads, other sites). */
function onClick(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest("a");
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target) return;
  const url = new URL(link.href);
  const ours = url.origin === window.location.origin && url.pathname.startsWith(BASE);
  if (!ours || link.getAttribute("href")?.startsWith("#")) return;
  event.preventDefault();
  go(url.pathname.slice(BASE.length) + url.search);
}

/** Waits two frames: by then, cached lists are rendered. */
function restoreScroll(top: number): void {
  requestAnimationFrame(() => requestAnimationFrame(() => window.scrollTo({ top })));
}

export function go(to: string): void {
  history.replaceState({ scroll: window.scrollY }, "");
  history.pushState(null, "", BASE + to);
  place.value = read();
  window.scrollTo({ top: 0 });
}

/** Changes filters in the address without a new history entry. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const search = query.size > 0 ? `?${query}` : "";
  history.replaceState(history.state, "", BASE + place.value.path + search);
  place.value = { ...place.value, query };
}

export const href = (to: string) => BASE + to;
