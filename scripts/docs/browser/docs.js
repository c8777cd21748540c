// The menu on phones, the theme, and the search. Without it, every page can still be read.
const root = document.documentElement;
const { base, index: indexName } = document.currentScript.dataset;
const MAX_RESULTS = 20;
const AROUND = 60;

// Before the first paint, so that the menu doesn't flash on a phone.
root.dataset.menu = "closed";

document.addEventListener("DOMContentLoaded", () => {
  setUpMenu();
  setUpTheme();
  setUpSearch();
});

function setUpMenu() {
  const button = document.querySelector(".menu");
  button.addEventListener("click", () => {
    const open = root.dataset.menu !== "open";
    root.dataset.menu = open ? "open" : "closed";
    button.setAttribute("aria-expanded", String(open));
  });
  const contents = document.querySelector(".contents details");
  if (contents) contents.open = matchMedia("(min-width: 75rem)").matches;
}

function setUpTheme() {
  const button = document.querySelector(".theme");
  const isDark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    label();
    try {
      localStorage.setItem("hermes-theme", root.dataset.theme);
    } catch {
      // A browser that keeps nothing: the choice is good for this page.
    }
  });
  label();
}

function setUpSearch() {
  const input = document.querySelector("#search");
  const results = document.querySelector(".results");
  let sections;
  const load = () => {
    sections ??= fetch(base + indexName).then((response) => {
      if (!response.ok) throw new Error(`${response.status}`);
      return response.json();
    });
    return sections;
  };
  const show = async () => {
    const query = input.value;
    const words = wordsOf(query);
    if (words.length === 0) return hide();
    try {
      const found = search(await load(), words);
      if (input.value === query) render(results, found, words);
    } catch {
      // The next letter tries again.
      sections = undefined;
      results.hidden = false;
      results.querySelector(".found").textContent = "The search isn't available. Is the gateway running?";
    }
  };
  const hide = () => {
    results.hidden = true;
  };
  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !results.hidden) {
      hide();
      input.focus();
      hide();
    }
    const typing = /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search") || event.target.closest(".results a")) hide();
  });
}

function wordsOf(query) {
  return query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8);
}

/** Sections with all words; titles count more than headings, and these more than text. */
function search(sections, words) {
  const scored = [];
  for (const section of sections) {
    const score = scoreOf(section, words);
    if (score > 0) scored.push([score, section]);
  }
  return scored.sort((a, b) => b[0] - a[0]).map(([, section]) => section);
}

function scoreOf([, page, heading, text], words) {
  const places = [
    [heading || page, 30],
    [page, 10],
    [text, 1],
  ].map(([place, weight]) => [place.toLowerCase(), weight]);
  let score = 0;
  for (const word of words) {
    const best = Math.max(...places.map(([place, weight]) => weight * matchOf(place, word)));
    if (best === 0) return 0;
    score += best;
  }
  return score;
}

/** 0, 1 inside of a word, 2 at its start, 3 for a whole word. */
function matchOf(place, word) {
  let best = 0;
  for (let at = place.indexOf(word); at !== -1 && best < 3; at = place.indexOf(word, at + 1)) {
    const starts = !isLetter(place[at - 1]);
    const ends = !isLetter(place[at + word.length]);
    best = Math.max(best, 1 + (starts ? 1 : 0) + (starts && ends ? 1 : 0));
  }
  return best;
}

function isLetter(char) {
  return char !== undefined && /[\p{L}\p{N}_]/u.test(char);
}

function render(results, found, words) {
  const count = found.length === 1 ? "1 result" : `${found.length} results`;
  const status = found.length === 0 ? "Nothing found. Try fewer or other words." : count;
  results.querySelector(".found").textContent = status;
  const items = found.slice(0, MAX_RESULTS).map((section) => itemOf(section, words));
  results.querySelector("ul").replaceChildren(...items);
  results.hidden = false;
}

function itemOf([address, page, heading, text], words) {
  const link = document.createElement("a");
  link.href = base + address;
  const title = document.createElement("strong");
  title.textContent = heading ? `${page} › ${heading}` : page;
  const excerpt = document.createElement("span");
  excerpt.append(...marked(excerptOf(text, words), words));
  link.append(title, excerpt);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function excerptOf(text, words) {
  const lower = text.toLowerCase();
  const at = Math.max(
    0,
    Math.min(...words.map((word) => lower.indexOf(word)).filter((i) => i >= 0), text.length),
  );
  const from = at === text.length ? 0 : Math.max(0, at - AROUND);
  const cut = text.slice(from, from + 3 * AROUND);
  return `${from > 0 ? "…" : ""}${cut}${from + cut.length < text.length ? "…" : ""}`;
}

/** The text with its matches marked. */
function marked(text, words) {
  const lower = text.toLowerCase();
  const nodes = [];
  for (let at = 0; at < text.length; ) {
    const [start, word] = words
      .map((one) => [lower.indexOf(one, at), one])
      .filter(([i]) => i >= 0)
      .sort((a, b) => a[0] - b[0])[0] ?? [text.length, ""];
    nodes.push(text.slice(at, start));
    if (word === "") break;
    const mark = document.createElement("mark");
    mark.textContent = text.slice(start, start + word.length);
    nodes.push(mark);
    at = start + word.length;
  }
  return nodes;
}
