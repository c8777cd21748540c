/** The message box: grows with its text, Enter sends, "/" offers commands. */

import { Completion } from "./completion.js";
import { byId } from "./dom.js";

export class Composer {
  #form = byId("composer");
  #input = byId("input");
  #send = byId("send");
  #completion;

  constructor({ commands, onSend }) {
    this.onSend = onSend;
    this.#completion = new Completion(this.#input, commands, (text) => this.fill(text));
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#input.addEventListener("input", () => this.#onInput());
    this.#input.addEventListener("keydown", (event) => this.#onKey(event));
    // What the browser kept over a reload.
    this.#onInput();
  }

  fill(text) {
    this.#input.value = text;
    this.#input.setSelectionRange(text.length, text.length);
    this.#input.focus();
    this.#onInput();
  }

  focus() {
    this.#input.focus();
  }

  #onInput() {
    this.#send.disabled = this.#input.value.trim() === "";
    this.#input.style.height = "auto";
    this.#input.style.height = `${this.#input.scrollHeight}px`;
    this.#completion.update();
  }

  #onKey(event) {
    // Enter that ends a composition (Japanese, Chinese, …) belongs to the input method.
    if (event.isComposing || this.#completion.handleKey(event)) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    this.#submit();
  }

  #submit() {
    const text = this.#input.value.trim();
    if (text === "") return;
    this.#input.value = "";
    this.#onInput();
    this.onSend(text);
  }
}
