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

/** Position in the history of this tab; each entry's `history.state` has its own. */
let index = 0;
/** The next `popstate` only undoes one that was blocked. */
let isReverting = false;

export function startRouter(): void {
  history.scrollRestoration = "manual";
  index = indexOf(history.state) ?? 0;
  history.replaceState({ ...history.state, index }, "");
  window.addEventListener("popstate", onPopState);
  document.addEventListener("click", onClick);
}

const indexOf = (state: unknown) => (state as { index?: number } | null)?.index;

function onPopState({ state }: PopStateEvent): void {
  if (isReverting) {
    isReverting = false;
    return;
  }
  // Links to a fragment create entries without a state.
  const next = indexOf(state) ?? index + 1;
  const to = read();
  const steps = next - index;
  if (isGuarded && to.path !== place.value.path && steps !== 0) {
    isReverting = true;
    history.go(-steps);
    blockedLeave.value = () => leave(() => history.go(steps));
    return;
  }
  index = next;
  history.replaceState({ ...state, index }, "");
  place.value = to;
  restoreScroll((state as { scroll?: number } | null)?.scroll ?? 0);
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
  if (isGuarded && new URL(BASE + to, window.location.origin).pathname !== BASE + place.value.path) {
    blockedLeave.value = () => leave(() => go(to));
    return;
  }
  history.replaceState({ index, scroll: window.scrollY }, "");
  index += 1;
  history.pushState({ index }, "", BASE + to);
  place.value = read();
  window.scrollTo({ top: 0 });
}

let isGuarded = false;

/** Set while navigation to another page is blocked: call it to leave, or set it to undefined to stay. */
export const blockedLeave = signal<(() => void) | undefined>(undefined);

/** Blocks navigation to other pages. Returns a function that ends the block. */
export function guardLeaving(): () => void {
  isGuarded = true;
  return () => {
    isGuarded = false;
    blockedLeave.value = undefined;
  };
}

function leave(navigate: () => void): void {
  isGuarded = false;
  blockedLeave.value = undefined;
  navigate();
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
