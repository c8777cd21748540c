/** What is known about threads: who began them, and whether the bot has written in them. */
import { BoundedMap } from "../../bounded-map.js";
import { isRefusal, type MattermostApi, type Me } from "./api.js";
import { readPost, type ThreadFacts } from "./normalise.js";

const MAX_THREADS = 5000;

export class Threads {
  readonly #api: MattermostApi;
  readonly #known = new BoundedMap<string, ThreadFacts>(MAX_THREADS);

  constructor(api: MattermostApi) {
    this.#api = api;
  }

  /** The bot has written in it. */
  joined(rootId: string | null): void {
    if (rootId === null || rootId === "") return;
    const byBot = this.#known.get(rootId)?.byBot ?? false;
    this.#known.set(rootId, { withBot: true, byBot });
  }

  /** Rejects if the server is unavailable right now. */
  async look(rootId: string, me: Me, signal: AbortSignal): Promise<ThreadFacts> {
    const known = this.#known.get(rootId);
    if (known) return known;
    const facts = await this.#ask(rootId, me, signal);
    this.#known.set(rootId, facts);
    return facts;
  }

  async #ask(rootId: string, me: Me, signal: AbortSignal): Promise<ThreadFacts> {
    try {
      const posts = (await this.#api.thread(rootId, signal)).flatMap((post) => readPost(post) ?? []);
      const root = posts.find(({ id }) => id === rootId);
      const byBot = root?.userId === me.id;
      const hasReplied = posts.some(({ id, userId }) => id !== rootId && userId === me.id);
      // Once the bot has answered there, the conversation has the beginning of the thread.
      const quoted = root && !hasReplied ? { text: root.message, messageId: root.id } : undefined;
      return { withBot: byBot || hasReplied, byBot, ...(quoted?.text ? { quoted } : {}) };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { withBot: false, byBot: false };
    }
  }
}
