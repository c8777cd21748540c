/** Notifies a chat's tabs when its session or the session's title changes. */
import type { Hub } from "./hub.js";
import type { WebSession } from "./types.js";

export class SessionWatch {
  readonly #hub: Hub;
  readonly #look: (chatId: string) => Promise<WebSession | null>;
  readonly #told = new Map<string, string>();

  constructor(hub: Hub, look: (chatId: string) => Promise<WebSession | null>) {
    this.#hub = hub;
    this.#look = look;
  }

  /** Never rejects: the next check catches up. */
  async check(chatId: string): Promise<void> {
    if (!this.#hub.has(chatId)) return;
    const session = await this.#look(chatId).catch(() => undefined);
    if (session === undefined || !this.#hub.has(chatId)) return;
    const now = JSON.stringify(session && [session.id, session.title]);
    if (this.#told.get(chatId) === now) return;
    this.#told.set(chatId, now);
    this.#hub.push(chatId, { event: "session", data: session ?? { id: null, title: null } });
  }

  async checkAll(): Promise<void> {
    for (const chatId of this.#told.keys()) if (!this.#hub.has(chatId)) this.#told.delete(chatId);
    await Promise.all(this.#hub.chats().map((chatId) => this.check(chatId)));
  }
}
