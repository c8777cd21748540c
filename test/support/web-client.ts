import { randomUUID } from "node:crypto";
import { EventReader } from "../http/support/events.js";
import { type Answer, ask } from "../http/support/request.js";
import { until } from "./until.js";

export interface LogEntry {
  id: string;
  from: "user" | "bot";
  kind: "message" | "answer" | "command" | "notice";
  text: string;
  at: number;
  turnId: string | null;
  files?: { name: string; mimeType: string; bytes: number }[];
  buttons?: { data: string; label: string }[];
}

const NO_MODEL = /^No model is configured[^\n]*\n\n/;

/** A person at the web chat: one browser with its cookie, which sends again what wasn't accepted. */
export class WebClient {
  readonly #url: () => string;
  readonly #token: string | undefined;
  #cookie: string | undefined;
  chatId = "";
  /** What was accepted, in order. */
  readonly accepted: { id: string; text: string }[] = [];
  /** Messages that were sent more than once. */
  resent = 0;

  /** With the secret of a browser that was here before. */
  constructor(url: string | (() => string), { token, secret }: { token?: string; secret?: string } = {}) {
    this.#url = typeof url === "string" ? () => url : url;
    this.#token = token;
    if (secret !== undefined) this.#cookie = `hermes_web=${secret}`;
  }

  /** Until the gateway has it: the same id every time, as the page does it. */
  async send(text: string, { id = randomUUID(), timeoutMs = 20_000 } = {}): Promise<string> {
    let tries = 0;
    await until(
      `"${text}" is accepted`,
      async () => {
        tries += 1;
        const answer = await this.post(id, text).catch(() => undefined);
        return answer?.status === 202;
      },
      { timeoutMs },
    );
    if (tries > 1) this.resent += 1;
    this.accepted.push({ id, text });
    return id;
  }

  /** One attempt. */
  async post(id: string, text: string): Promise<Answer> {
    await this.#enter();
    return this.#ask("messages", { method: "POST", body: JSON.stringify({ id, text }) });
  }

  async press({ data, label }: { data: string; label: string }): Promise<Answer> {
    await this.#enter();
    const body = JSON.stringify({ id: randomUUID(), button: data, text: label });
    return this.#ask("presses", { method: "POST", body });
  }

  async log(): Promise<LogEntry[]> {
    const { entries } = await this.get<{ entries: LogEntry[] }>("log");
    return entries;
  }

  async get<T>(what: string): Promise<T> {
    await this.#enter();
    const answer = await this.#ask(what);
    if (answer.status !== 200) throw new Error(`${what}: ${answer.status} ${answer.text}`);
    return JSON.parse(answer.text) as T;
  }

  /** The raw response, with any status. */
  async fetch(what: string): Promise<Response> {
    await this.#enter();
    return fetch(`${this.#url()}/api/chat/${what}`, { headers: this.#headers() });
  }

  async session(): Promise<{ id: string; title: string | null } | null> {
    return (await this.get<{ session: { id: string; title: string | null } | null }>("session")).session;
  }

  async events(after?: number): Promise<EventReader> {
    await this.#enter();
    const query = after === undefined ? "" : `?after=${after}`;
    return EventReader.open(`${this.#url()}/api/chat/events${query}`, this.#headers());
  }

  /** What the agent answered, without the echo agent's note, oldest first. */
  async answers(): Promise<string[]> {
    return (await this.log()).filter(({ kind }) => kind === "answer").map(({ text }) => plain(text));
  }

  /** The bot's words of this kind, once there are so many. */
  async told(kind: LogEntry["kind"], count = 1, timeoutMs = 10_000): Promise<string[]> {
    const look = async () => (await this.log()).filter((entry) => entry.kind === kind);
    const entries = await until(
      `${count} of kind ${kind} are there`,
      async () => {
        const found = await look().catch(() => []);
        return found.length >= count && found;
      },
      { timeoutMs, found: () => this.log().catch(String) },
    );
    return entries.map(({ text }) => plain(text));
  }

  /** The browser's first request gives it its cookie. */
  async #enter(): Promise<void> {
    if (this.#cookie !== undefined) return;
    const answer = await this.#ask("session");
    const [cookie] = answer.headers["set-cookie"] ?? [];
    if (!cookie) throw new Error(`no cookie: ${answer.status} ${answer.text}`);
    this.#cookie = cookie.split(";", 1)[0]!;
    this.chatId = (JSON.parse(answer.text) as { chat: string }).chat;
  }

  #ask(what: string, asked: { method?: string; body?: string } = {}): Promise<Answer> {
    return ask(`${this.#url()}/api/chat/${what}`, { ...asked, headers: this.#headers() });
  }

  #headers(): Record<string, string> {
    return {
      origin: this.#url(),
      "content-type": "application/json",
      ...(this.#cookie ? { cookie: this.#cookie } : {}),
      ...(this.#token ? { authorization: `Bearer ${this.#token}` } : {}),
    };
  }
}

export function plain(answer: string): string {
  return answer.replace(NO_MODEL, "");
}
