/** Looks into mailboxes with a short connection of its own: the one that waits for mail stays as it is. */
import type { ImapFlow } from "imapflow";
import { BoundedMap } from "../../bounded-map.js";
import type { Settings } from "./config.js";
import { messageIdOf, messageIdsIn } from "./ids.js";
import { closeImap, inTime, openImap } from "./imap.js";
import type { Thread } from "./normalise.js";

const MAX_THREADS = 1000;

export class Mailboxes {
  readonly #settings: Settings;
  readonly #threads = new BoundedMap<string, Thread>(MAX_THREADS);

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  remember(messageId: string, thread: Thread): void {
    this.#threads.set(messageId, thread);
  }

  /** The headers for an answer to this mail; undefined if it is gone, or can't be read now. */
  async threadOf(messageId: string, signal: AbortSignal): Promise<Thread | undefined> {
    const known = this.#threads.get(messageId);
    if (known || messageIdOf(messageId) === undefined) return known;
    const found = await this.#within(this.#settings.mailbox, signal, (client) =>
      this.#readThread(client, messageId),
    ).catch(() => undefined);
    if (found) this.remember(messageId, found);
    return found;
  }

  /** Whether Sent has this mail; undefined if there is no such mailbox. Rejects if it can't be read. */
  async hasSent(messageId: string, signal: AbortSignal): Promise<boolean | undefined> {
    const { callMs } = this.#settings.timing;
    const client = await openImap(this.#settings, signal);
    try {
      const boxes = await inTime(client, client.list(), callMs);
      const sent = boxes.find(({ specialUse }) => specialUse === "\\Sent");
      if (!sent) return undefined;
      await inTime(client, client.mailboxOpen(sent.path, { readOnly: true }), callMs);
      return (await this.#find(client, messageId)).length > 0;
    } finally {
      await closeImap(client);
    }
  }

  async #within<T>(mailbox: string, signal: AbortSignal, look: (client: ImapFlow) => Promise<T>): Promise<T> {
    const { callMs } = this.#settings.timing;
    const client = await openImap(this.#settings, signal);
    try {
      await inTime(client, client.mailboxOpen(mailbox, { readOnly: true }), callMs);
      return await look(client);
    } finally {
      await closeImap(client);
    }
  }

  async #find(client: ImapFlow, messageId: string): Promise<number[]> {
    const search = client.search({ header: { "message-id": messageId } }, { uid: true });
    return (await inTime(client, search, this.#settings.timing.callMs)) || [];
  }

  async #readThread(client: ImapFlow, messageId: string): Promise<Thread | undefined> {
    const uid = (await this.#find(client, messageId)).at(-1);
    if (uid === undefined) return undefined;
    const query = { uid: true, envelope: true, headers: ["references", "in-reply-to"] };
    const fetching = client.fetchOne(String(uid), query, { uid: true });
    const mail = await inTime(client, fetching, this.#settings.timing.callMs);
    if (!mail) return undefined;
    const subject = (mail.envelope?.subject ?? "").replace(/\s+/g, " ").trim().slice(0, 500);
    const references = [...new Set(messageIdsIn(mail.headers?.toString("latin1")))];
    return { subject, references: [...references.filter((id) => id !== messageId), messageId] };
  }
}
