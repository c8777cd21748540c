/** The tour's panel: the steps, what each one shows, and play, pause and next. */
import { post } from "/post.js";
import { el } from "./dom.js";

export class Tour {
  #panel;
  #steps = el("ol", "steps");
  #play = el("button", "play");
  #next = el("button", "next", "Next");
  #shown = "";

  constructor(panel) {
    this.#panel = panel;
    for (const button of [this.#play, this.#next]) button.type = "button";
    this.#play.addEventListener("click", () => void post(this.#play.dataset.action));
    this.#next.addEventListener("click", () => void post("next"));
    const controls = el("div", "controls", this.#play, this.#next);
    panel.append(el("h2", "", "Tour"), controls, this.#steps);
  }

  show(tour, focus) {
    const text = JSON.stringify(tour);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#panel.hidden = false;
    const isOver = tour.mode === "over";
    const action = tour.mode === "playing" ? "pause" : "play";
    this.#play.dataset.action = action;
    this.#play.textContent = action === "play" ? "Play" : "Pause";
    this.#play.hidden = this.#next.hidden = isOver;
    this.#next.disabled = tour.steps.some(({ state }) => state === "running");
    this.#panel.dataset.mode = tour.mode;
    const latest = tour.steps.findLastIndex(({ state }) => state !== "waiting");
    this.#steps.replaceChildren(...tour.steps.map((one, i) => step(one, i === latest)));
    this.#steps.querySelector("[data-latest]")?.scrollIntoView({ block: "nearest" });
    focus(tour.focus);
  }
}

function step({ title, text, state, told }, isLatest) {
  const notes = told.map((line) => el("li", "", line));
  const item = el("li", "step", el("h3", "", title), el("p", "", text), el("ul", "told", ...notes));
  item.dataset.state = state;
  if (isLatest) item.dataset.latest = "";
  return item;
}
