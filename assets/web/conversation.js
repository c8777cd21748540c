/** The list of messages: what the log has, what is on its way, and the answer that is being written. */
import { addressOf, attachment } from "./attachment.js";
import { choices } from "./choices.js";
import { byId, el } from "./dom.js";
import { markdown } from "./markdown.js";
import { clockTime, dayName } from "./times.js";

/** A preview that nothing was heard of for so long belongs to a turn that was stopped. */
const STALE_MS = 45_000;
const TYPING_MS = 8000;
const NEAR_END_PX = 80;

export class Conversation {
  #list = byId("messages");
  #preview = byId("preview");
  #typing = byId("typing");
  #scroll = byId("scroll");
  #toEnd = byId("to-end");
  #byId = new Map();
  #lastDay = "";
  #shown;
  #isDrawing = false;
  #stale;
  #typingTimer;
  #followsEnd = true;

  constructor() {
    this.#scroll.addEventListener("scroll", () => this.#onScroll(), { passive: true });
    this.#toEnd.addEventListener("click", () => this.toEnd());
    new ResizeObserver(() => this.#follow()).observe(this.#scroll);
  }

  /** All anew, from the log and what hasn't been confirmed. */
  reset(entries, unsent) {
    this.#list.replaceChildren();
    this.#byId.clear();
    this.#lastDay = "";
    for (const entry of entries) this.#add(entry.id, entry);
    for (const message of unsent) this.addOwn(message, "pending");
    this.#settle();
  }

  /** A message of the bot. A second copy changes nothing. */
  addEntry(entry) {
    if (entry.turnId !== null && entry.turnId === this.#shown?.turnId) this.clearPreview();
    if (entry.kind === "notice") this.clearPreview();
    if (entry.kind !== "command") this.#showTyping(false);
    if (!this.#byId.has(entry.id)) this.#add(entry.id, entry);
    this.#settle();
  }

  /** The question was decided: its text says so, and its buttons are gone. */
  decide({ id, text }) {
    const shown = this.#byId.get(id);
    if (!shown) return;
    shown.node.querySelector(".choices")?.remove();
    shown.node.querySelector(".body")?.replaceWith(markdown(text));
    this.#settle();
  }

  /** What the user wrote, here or in another tab, by the id that the page gave it. */
  addOwn({ id, text, at }, state) {
    if (!this.#byId.has(id)) this.#add(id, { from: "user", kind: "message", text, at });
    this.mark(id, state);
    this.#settle();
  }

  /** "pending", "failed" with a reason, or "" for sent. */
  mark(id, state, reason = "", onRetry = undefined) {
    const shown = this.#byId.get(id);
    if (!shown) return;
    shown.node.classList.toggle("pending", state === "pending");
    shown.node.classList.toggle("failed", state === "failed");
    const meta = shown.node.querySelector(".meta");
    if (state === "") meta.replaceChildren(clockTime(shown.at));
    if (state === "pending") meta.replaceChildren("Sending…");
    if (state !== "failed") return;
    const again = el("button", "", "Edit");
    again.type = "button";
    again.addEventListener("click", onRetry);
    meta.replaceChildren(`Not sent: ${reason}. `, again);
  }

  remove(id) {
    this.#byId.get(id)?.node.remove();
    this.#byId.delete(id);
    this.#settle();
  }

  /** Without text: no answer comes of that turn. */
  showPreview(preview) {
    if (preview.text === "") {
      if (preview.turnId === this.#shown?.turnId) this.clearPreview();
      return this.#showTyping(false);
    }
    this.#shown = preview;
    this.#showTyping(false);
    clearTimeout(this.#stale);
    this.#stale = setTimeout(() => this.clearPreview(), STALE_MS);
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    // At most once a frame: an answer may grow faster than it can be drawn.
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      if (!this.#shown) return;
      this.#preview.replaceChildren(el("div", "message bot answer", markdown(this.#shown.text)));
      this.#preview.hidden = false;
      this.#settle();
    });
  }

  /** A call of a tool, folded: once when it starts, once when it ends. */
  showTool(call) {
    const id = `tool:${call.turnId}:${call.callId}`;
    const node = toolCall(call);
    const shown = this.#byId.get(id);
    if (shown) {
      node.open = shown.node.open;
      shown.node.replaceWith(node);
      shown.node = node;
    } else {
      this.#byId.set(id, { node, at: 0 });
      this.#list.append(node);
    }
    this.#settle();
  }

  clearPreview() {
    clearTimeout(this.#stale);
    this.#shown = undefined;
    this.#preview.hidden = true;
    this.#preview.replaceChildren();
  }

  showTyping() {
    if (!this.#shown) this.#showTyping(true);
    this.#settle();
  }

  toEnd() {
    this.#followsEnd = true;
    this.#follow();
  }

  #showTyping(isTyping) {
    clearTimeout(this.#typingTimer);
    this.#typing.hidden = !isTyping;
    if (isTyping) this.#typingTimer = setTimeout(() => this.#showTyping(false), TYPING_MS);
  }

  #add(id, entry) {
    const day = dayName(entry.at);
    if (day !== this.#lastDay) this.#list.append(el("div", "day", day));
    this.#lastDay = day;
    const node = entry.from === "user" ? userMessage(entry) : botMessage(entry);
    this.#byId.set(id, { node, at: entry.at });
    this.#list.append(node);
  }

  #settle() {
    byId("empty").hidden = this.#byId.size > 0 || !this.#preview.hidden;
    this.#follow();
  }

  /** Stays at the end, unless the user has gone up to read. */
  #follow() {
    if (this.#followsEnd) this.#scroll.scrollTop = this.#scroll.scrollHeight;
    this.#toEnd.hidden = this.#followsEnd;
  }

  #onScroll() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroll;
    this.#followsEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    this.#toEnd.hidden = this.#followsEnd;
  }
}

function userMessage({ text, at }) {
  const isCommand = /^\/[a-z]/i.test(text);
  return message(`user${isCommand ? " is-command" : ""}`, "You", el("div", "body", text), at);
}

function botMessage({ id, kind, text, at, files = [], buttons = [] }) {
  const speakers = { command: "Command", notice: "Notice" };
  const body = markdown(text);
  body.append(...files.map((file, i) => attachment(file, addressOf(id, i))));
  const node = message(`bot ${kind}`, speakers[kind] ?? "Hermes", body, at);
  if (buttons.length > 0) body.after(choices(buttons));
  return node;
}

const TOOL_STATES = { running: "…", done: "✓", failed: "✗" };

function toolCall({ tool, args, state, seconds }) {
  const time = seconds === undefined ? "" : ` · ${seconds.toFixed(1)} s`;
  const summary = el("summary", "", `${TOOL_STATES[state] ?? ""} `, el("code", "", tool), time);
  const node = el("details", `tool ${state}`, summary, el("pre", "", args));
  return node;
}

function message(classes, speaker, body, at) {
  const node = el(
    "article",
    `message ${classes}`,
    el("span", "unseen", `${speaker}: `),
    body,
    el("p", "meta", clockTime(at)),
  );
  return node;
}
