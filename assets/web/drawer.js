/** On narrow screens the sessions are a drawer over the chat. */
import { byId } from "./dom.js";

export class Drawer {
  #side = byId("side");
  #shade = byId("shade");
  #opener = byId("side-open");

  constructor() {
    this.#opener.addEventListener("click", () => this.#toggle(true));
    byId("side-close").addEventListener("click", () => this.close());
    this.#shade.addEventListener("click", () => this.close());
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
  }

  close() {
    if (!this.#side.classList.contains("open")) return;
    this.#toggle(false);
    this.#opener.focus();
  }

  /** While it is open, the keyboard stays in it. */
  #toggle(isOpen) {
    this.#side.classList.toggle("open", isOpen);
    this.#shade.hidden = !isOpen;
    byId("main").inert = isOpen;
    this.#opener.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) byId("side-close").focus();
  }
}
