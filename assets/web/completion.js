/** The list of commands over the message box, while a command's name is being written. */
import { byId, el } from "./dom.js";

export class Completion {
  #list = byId("completion");
  #input;
  #commands;
  #fill;
  #matches = [];
  #selected = 0;
  /** The text at which Escape was pressed: stay away until it is another. */
  #dismissed;

  constructor(input, commands, fill) {
    this.#input = input;
    this.#commands = commands;
    this.#fill = fill;
    input.addEventListener("blur", () => this.#close());
    input.addEventListener("focus", () => this.update());
  }

  update() {
    const text = this.#input.value;
    if (text !== this.#dismissed) this.#dismissed = undefined;
    const name = /^\/([\w-]*)$/.exec(text)?.[1]?.toLowerCase();
    const isWanted =
      name !== undefined && this.#dismissed === undefined && document.activeElement === this.#input;
    this.#matches = isWanted ? this.#commands.filter((command) => command.name.startsWith(name)) : [];
    this.#selected = 0;
    this.#draw();
  }

  /** True when the key was meant for the list. */
  handleKey(event) {
    if (this.#matches.length === 0) return false;
    const isWhole = `/${this.#matches[this.#selected].name}` === this.#input.value.toLowerCase();
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move) this.#select(this.#selected + move);
    else if (event.key === "Escape") this.#dismiss();
    else if (
      (event.key === "Tab" && !event.shiftKey) ||
      (event.key === "Enter" && !event.shiftKey && !isWhole)
    )
      this.#accept();
    else return false;
    event.preventDefault();
    return true;
  }

  #dismiss() {
    this.#dismissed = this.#input.value;
    this.#close();
  }

  #accept() {
    const { name, usage } = this.#matches[this.#selected];
    const text = usage ? `/${name} ` : `/${name}`;
    this.#dismissed = text;
    this.#fill(text);
  }

  #close() {
    this.#matches = [];
    this.#draw();
  }

  #select(index) {
    this.#selected = (index + this.#matches.length) % this.#matches.length;
    this.#mark();
  }

  #draw() {
    this.#list.replaceChildren(...this.#matches.map((command, i) => this.#option(command, i)));
    this.#list.hidden = this.#matches.length === 0;
    this.#input.setAttribute("aria-expanded", String(this.#matches.length > 0));
    this.#mark();
  }

  #option({ name, usage, description }, index) {
    const label = el("code", "", `/${name}`, ...(usage ? [el("span", "usage", ` ${usage}`)] : []));
    const option = el("div", "option", label, el("span", "what", description));
    option.id = `command-${name}`;
    option.setAttribute("role", "option");
    // Not "click": the box would lose its focus, and the list with it, before.
    option.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.#selected = index;
      this.#accept();
    });
    return option;
  }

  #mark() {
    for (const [i, option] of [...this.#list.children].entries())
      option.setAttribute("aria-selected", String(i === this.#selected));
    const selected = this.#list.children[this.#selected];
    selected?.scrollIntoView({ block: "nearest" });
    if (selected) this.#input.setAttribute("aria-activedescendant", selected.id);
    else this.#input.removeAttribute("aria-activedescendant");
  }
}
