/** Which page the address names: `/`, `/c/ID`, `/shared/SECRET`. */
import { signal } from "@preact/signals";

export type Place =
  | { page: "new" }
  | { page: "conversation"; id: string }
  | { page: "shared"; secret: string };

export const place = signal<Place>(read());

function read(): Place {
  const { pathname } = window.location;
  const [, first = "", second = ""] = pathname.split("/");
  if (first === "c" && second) return { page: "conversation", id: decoded(second) };
  if (first === "shared" && second) return { page: "shared", secret: decoded(second) };
  return { page: "new" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A truncated address: use it undecoded.
    return part;
  }
}

export const conversationPath = (id: string) => `/c/${encodeURIComponent(id)}`;

export function startRouter(): void {
  window.addEventListener("popstate", () => {
    place.value = read();
  });
}

export function go(path: string, { replace = false } = {}): void {
  if (path !== window.location.pathname || replace)
    history[replace ? "replaceState" : "pushState"](null, "", path);
  place.value = read();
}

/** Click handler of links: plain clicks navigate within the page; the browser opens new tabs. */
export function onLink(event: MouseEvent): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
  event.preventDefault();
  go(new URL((event.currentTarget as HTMLAnchorElement).href).pathname);
}
