import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "hermes-theme";
const root = document.documentElement;

export const theme = signal<Theme>((root.dataset.theme as Theme | undefined) ?? "system");
/** Charts redraw when this changes. */
export const isDark = signal(false);

const system = window.matchMedia("(prefers-color-scheme: dark)");
const update = () => {
  isDark.value = theme.value === "dark" || (theme.value === "system" && system.matches);
};
system.addEventListener("change", update);

effect(() => {
  if (theme.value === "system") delete root.dataset.theme;
  else root.dataset.theme = theme.value;
  try {
    if (theme.value === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme.value);
  } catch {
    // Storage is blocked: the choice lasts until the page is closed.
  }
  update();
});
