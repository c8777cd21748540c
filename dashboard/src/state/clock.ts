/** The current time, updated every second, so that texts like "2 minutes ago" stay correct. */
import { signal } from "@preact/signals";

export const now = signal(Date.now() / 1000);

setInterval(() => {
  if (!document.hidden) now.value = Date.now() / 1000;
}, 1000);
document.addEventListener("visibilitychange", () => {
  now.value = Date.now() / 1000;
});
