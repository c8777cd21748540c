/** One chat client: its chats as tabs, the messages of the open one, and a field to write in as one of its people. */
import { post } from "/post.js";
import { formatted } from "/text.js";
import { el } from "./dom.js";

export class Client {
  element = el("section", "client");
  #view;
  #open;
  #shown = "";
  /** The newest message stays in view until the reader scrolls up. */
  #isFollowing = true;
  #thread;
  #chats = el("div", "chats");
  #messages = el("ol", "messages");
  #person = el("select", "person");
  #field = el("input", "field");
  #note = el("button", "note");
  #problem = el("p", "problem");

  constructor({ name, title, chats }) {
    this.element.dataset.client = name;
    this.#open = (chats.find(({ messages }) => messages.length > 0) ?? chats[0])?.id;
    this.#messages.addEventListener("scroll", () => {
      const { scrollHeight, scrollTop, clientHeight } = this.#messages;
      this.#isFollowing = scrollHeight - scrollTop - clientHeight < 60;
    });
    new ResizeObserver(() => this.#follow()).observe(this.#messages);
    this.#messages.tabIndex = 0;
    this.#messages.setAttribute("aria-label", `Messages on ${title}`);
    this.#person.setAttribute("aria-label", `Write on ${title} as`);
    this.#field.setAttribute("aria-label", `Message on ${title}`);
    this.#field.autocomplete = "off";
    this.#note.type = "button";
    this.#note.hidden = true;
    this.#note.addEventListener("click", () => this.#answerIn(undefined));
    this.#problem.setAttribute("role", "alert");
    const send = el("button", "send", "Send");
    const form = el("form", "composer", this.#person, this.#field, send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#say();
    });
    const bar = el("div", "bar", el("span", "logo"), el("h2", "", title));
    this.element.append(bar, this.#chats, this.#messages, this.#problem, this.#note, form);
  }

  show(view) {
    this.#view = view;
    const text = JSON.stringify([view, this.#open]);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#showTabs();
    this.#showPeople();
    this.#showMessages();
  }

  open(chat) {
    if (!chat || chat === this.#open) return;
    this.#open = chat;
    this.#isFollowing = true;
    this.#answerIn(undefined);
    this.show(this.#view);
  }

  get #chat() {
    return this.#view.chats.find(({ id }) => id === this.#open) ?? this.#view.chats[0];
  }

  #showTabs() {
    const tabs = this.#view.chats.map(({ id, title, isGroup, messages }) => {
      const tab = el("button", isGroup ? "group" : "", title);
      if (messages.length > 0) tab.append(el("span", "count", String(messages.length)));
      tab.type = "button";
      tab.setAttribute("aria-pressed", String(id === this.#chat.id));
      tab.addEventListener("click", () => this.open(id));
      return tab;
    });
    this.#chats.replaceChildren(...tabs);
  }

  #showPeople() {
    const { people, isGroup } = this.#chat;
    const shown = [...this.#person.options].map(({ value }) => value);
    if (shown.join() !== people.join())
      this.#person.replaceChildren(...people.map((name) => new Option(name, name)));
    this.#field.placeholder = isGroup ? "Write, @hermes to ask" : "Write to Hermes";
  }

  #showMessages() {
    this.#messages.replaceChildren(...this.#chat.messages.map((message) => this.#bubble(message)));
    this.#follow();
  }

  #follow() {
    if (this.#isFollowing) this.#messages.scrollTop = this.#messages.scrollHeight;
  }

  #bubble(message) {
    const { id, from, isBot, buttons, pictures = [], live, thread } = message;
    const avatar = el("span", "avatar", from.slice(0, 1).toUpperCase());
    avatar.dataset.who = isBot ? "bot" : String(hueOf(from));
    avatar.setAttribute("aria-hidden", "true");
    const name = el("b", "from", from);
    const bubble = el("div", "bubble", name, formatted(message), ...pictures.map(picture));
    if (buttons.length > 0) bubble.append(this.#buttons(id, buttons));
    if (this.#chat.hasThreads && !thread) bubble.append(this.#replyButton(message));
    const classes = ["message", isBot ? "bot" : "person", live ? "live" : "", thread ? "threaded" : ""];
    const item = el("li", classes.filter(Boolean).join(" "), avatar, bubble);
    item.dataset.id = id;
    return item;
  }

  #buttons(message, labels) {
    const shown = labels.map((label) => {
      const button = el("button", "", label);
      button.type = "button";
      button.addEventListener("click", () => void this.#send("press", { message, button: label }));
      return button;
    });
    return el("div", "buttons", ...shown);
  }

  #replyButton({ id, from }) {
    const button = el("button", "reply", "Reply in thread");
    button.type = "button";
    button.addEventListener("click", () => this.#answerIn({ id, from }));
    return button;
  }

  #answerIn(thread) {
    this.#thread = thread?.id;
    this.#note.hidden = !thread;
    this.#note.textContent = thread ? `In the thread of ${thread.from} ✕` : "";
    if (thread) this.#field.focus();
  }

  async #say() {
    const text = this.#field.value.trim();
    if (!text) return;
    this.#field.value = "";
    await this.#send("say", { text, thread: this.#thread });
  }

  async #send(what, fields) {
    const { name } = this.#view;
    const person = this.#person.value;
    this.#problem.textContent = await post(what, { client: name, chat: this.#chat.id, person, ...fields });
    this.#isFollowing = true;
    this.#follow();
  }
}

const HUES = 6;

function hueOf(name) {
  return [...name].reduce((sum, char) => sum + char.codePointAt(0), 0) % HUES;
}

function picture(source) {
  const image = el("img", "picture");
  image.src = source;
  image.alt = "A picture";
  return image;
}
