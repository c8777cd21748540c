/** Fenced code with its language and a button that copies it. */
import { el } from "./dom.js";

export function codeBlock(code, language) {
  const copy = el("button", "", "Copy");
  copy.type = "button";
  copy.addEventListener("click", async () => {
    copy.textContent = (await copyText(code)) ? "Copied" : "Can't copy";
    setTimeout(() => {
      copy.textContent = "Copy";
    }, 2000);
  });
  const pre = el("pre", "", el("code", "", code));
  // It scrolls sideways, so the keyboard must reach it.
  pre.tabIndex = 0;
  return el("div", "code", el("div", "code-head", el("span", "", language || "code"), copy), pre);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Browsers give the clipboard to https and localhost only; the old way works everywhere.
    const area = el("textarea", "unseen");
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}
