/** Draws Markdown into an element. Blocks that didn't change keep their nodes, so a streaming answer doesn't flicker. */
import type { Token } from "marked";
import { copyText } from "./copy.js";
import { blocksOf, fragmentOf, sanitized } from "./html.js";

/** Longer texts are shown without formatting. */
const MAX_CHARS = 200_000;
/** Longer code isn't highlighted. */
const MAX_CODE_CHARS = 30_000;

/** The Markdown source of each block's element. */
const sources = new WeakMap<Element, string>();

export function draw(box: HTMLElement, text: string): void {
  if (text.length > MAX_CHARS) {
    box.replaceChildren(plain(text));
    return;
  }
  try {
    drawBlocks(box, text);
  } catch (error) {
    // The nesting overflows the stack, which no real text does.
    console.warn("The text is shown without formatting:", error);
    box.replaceChildren(plain(text));
  }
}

function drawBlocks(box: HTMLElement, text: string): void {
  // Remove the plain text that was shown before this module was loaded.
  if (box.firstChild !== box.firstElementChild) box.replaceChildren();
  const blocks = blocksOf(text).filter(({ type }) => type !== "space" && type !== "def");
  const unchanged = countUnchanged(box, blocks);
  while (box.children.length > unchanged) box.lastElementChild!.remove();
  for (const block of blocks.slice(unchanged)) box.append(drawBlock(block));
}

function plain(text: string): HTMLElement {
  const pre = document.createElement("p");
  pre.className = "as-written";
  pre.textContent = text;
  return pre;
}

function countUnchanged(box: Element, blocks: readonly Token[]): number {
  let count = 0;
  while (
    count < blocks.length &&
    box.children[count] &&
    sources.get(box.children[count]!) === blocks[count]!.raw
  )
    count += 1;
  return count;
}

function drawBlock(block: Token): HTMLElement {
  const holder = document.createElement("div");
  holder.className = "block";
  holder.append(fragmentOf([block]));
  sources.set(holder, block.raw);
  enhance(holder);
  return holder;
}

function enhance(holder: HTMLElement): void {
  for (const link of holder.querySelectorAll("a")) enhanceLink(link);
  for (const table of holder.querySelectorAll("table")) makeScrollable(table);
  for (const box of holder.querySelectorAll("input")) enhanceTask(box);
  for (const pre of holder.querySelectorAll("pre")) enhanceCode(pre);
  for (const maths of holder.querySelectorAll<HTMLElement>(".maths")) void enhanceMaths(maths);
}

function enhanceLink(link: HTMLAnchorElement): void {
  const note = link.dataset.note;
  if (note === undefined) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    return;
  }
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const target = link.closest(".md")?.querySelector<HTMLElement>(`[data-footnote="${CSS.escape(note)}"]`);
    if (!target) return;
    target.tabIndex = -1;
    target.focus();
    target.scrollIntoView({ block: "nearest" });
  });
}

/** A wide table scrolls sideways, so the keyboard must reach it. */
function makeScrollable(table: HTMLElement): void {
  const box = document.createElement("div");
  box.className = "table";
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Table");
  table.replaceWith(box);
  box.append(table);
}

function enhanceTask(box: HTMLInputElement): void {
  box.disabled = true;
  box.setAttribute("aria-label", box.checked ? "Done" : "Not done");
  box.closest("li")?.classList.add("task");
}

function enhanceCode(pre: HTMLElement): void {
  const code = pre.querySelector("code");
  const text = code?.textContent ?? "";
  const language = /(?:^|\s)language-([\w+#-]{1,30})/.exec(code?.className ?? "")?.[1] ?? "";
  const frame = element("div", "code");
  const head = element("div", "code-head");
  const label = element("span");
  label.textContent = language || "code";
  head.append(label, copyButton(text));
  pre.replaceWith(frame);
  pre.tabIndex = 0;
  frame.append(head, pre);
  if (code && language && text.length <= MAX_CODE_CHARS) void highlightCode(code, text, language);
}

function copyButton(text: string): HTMLButtonElement {
  const button = element("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    button.textContent = (await copyText(text)) ? "Copied" : "Can't copy";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
  return button;
}

function element<K extends keyof HTMLElementTagNameMap>(tag: K, className = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  return made;
}

async function highlightCode(code: Element, text: string, language: string): Promise<void> {
  try {
    const { highlighted } = await import("./highlight.js");
    const html = highlighted(text, language);
    if (html !== undefined) code.replaceChildren(sanitized(html));
  } catch (error) {
    console.warn("Code is shown without highlighting:", error);
  }
}

async function enhanceMaths(maths: HTMLElement): Promise<void> {
  const tex = maths.textContent ?? "";
  try {
    const { mathMl } = await import("./maths.js");
    maths.replaceChildren(sanitized(mathMl(tex, maths.dataset.display !== undefined)));
  } catch (error) {
    console.warn("A formula is shown as its source:", error);
  }
}
