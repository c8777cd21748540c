import { type LogEntry, WebClient } from "../../support/web-client.js";
import { type Bubble, type ChatClient, type ChatView, HERMES_NAME } from "./client.js";

/** The gateway's own web chat, with a browser for each person. */
export function webClient(gateway: () => string, names: readonly string[]) {
  const browsers = names.map((name) => new Browser(name, new WebClient(gateway)));
  const of = (name: string) => browsers.find((browser) => browser.name === name)!;
  const client: ChatClient = {
    name: "web",
    title: "Web chat",
    chats: () => Promise.all(browsers.map((browser) => browser.view())),
    say: ({ person, text }) => of(person).say(text),
    press: ({ person, message, button }) => of(person).press(message, button),
  };
  return client;
}

class Browser {
  readonly name: string;
  readonly #client: WebClient;
  #log: LogEntry[] = [];
  /** Not accepted yet, for example because the gateway is down. */
  readonly #unsent = new Map<string, string>();

  constructor(name: string, client: WebClient) {
    this.name = name;
    this.#client = client;
  }

  async view(): Promise<ChatView> {
    // While the gateway is down, a browser shows what it had.
    this.#log = await this.#client.log().catch(() => this.#log);
    const sent = this.#log.map((entry) => bubble(this.name, entry));
    const unsent = [...this.#unsent].map(([id, text]) => own(id, this.name, text));
    return {
      ...{ id: this.name, title: this.name, isGroup: false, people: [this.name] },
      messages: [...sent, ...unsent],
    };
  }

  async say(text: string): Promise<void> {
    const key = `unsent-${text}-${this.#log.length}`;
    this.#unsent.set(key, text);
    try {
      await this.#client.send(text, { timeoutMs: 60_000 });
    } finally {
      this.#unsent.delete(key);
    }
  }

  async press(message: string, label: string): Promise<void> {
    const found = this.#log
      .find(({ id }) => id === message)
      ?.buttons?.find((button) => button.label === label);
    if (found) await this.#client.press(found);
  }
}

function own(id: string, from: string, text: string): Bubble {
  return { id, from, isBot: false, text, format: "plain", buttons: [] };
}

function bubble(person: string, { id, from, text, buttons = [] }: LogEntry): Bubble {
  if (from === "user") return own(id, person, text);
  return {
    ...{ id, from: HERMES_NAME, isBot: true, text, format: "markdown" },
    buttons: buttons.map(({ label }) => label),
  };
}
