/** The side list of one's sessions, and the title of the current one. */
import { get } from "./api.js";
import { byId, el } from "./dom.js";
import { shortWhen } from "./times.js";

export class Sessions {
  #list = byId("sessions");
  #current = { id: null, title: null };
  #all = [];
  #isLoading = false;
  #isStale = false;

  /** `onChoose(session)`. */
  constructor(onChoose) {
    this.onChoose = onChoose;
  }

  setCurrent(session) {
    this.#current = session ?? { id: null, title: null };
    const title = this.#current.title ?? "New chat";
    byId("title").textContent = title;
    document.title = this.#current.title ? `${title} · Hermes` : "Hermes Gateway";
    this.#draw();
  }

  /** Asked again while it loads: once more after that. */
  async load() {
    this.#isStale = true;
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        this.#all = (await get("/api/chat/sessions")).sessions;
        this.#draw();
      }
    } catch {
      // The list shows what it had; the connection's state says the rest.
    } finally {
      this.#isLoading = false;
    }
  }

  #draw() {
    this.#list.replaceChildren(...this.#all.map((session) => this.#item(session)));
  }

  #item(session) {
    const isCurrent = session.id === this.#current.id;
    const name = (isCurrent && this.#current.title) || session.title || session.preview || "Untitled";
    const button = el(
      "button",
      "",
      el("span", "name", name),
      el("span", "when", shortWhen(session.lastActive)),
    );
    button.type = "button";
    button.title = name;
    if (isCurrent) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => this.onChoose(session, isCurrent));
    return el("li", "", button);
  }
}
