import Database from "better-sqlite3";
import type { InboundMessage, Origin, Target } from "../../src/message.js";
import { targetOf } from "../../src/message.js";
import { toMessages } from "../../src/pipeline/turn-input.js";
import { isShared, originTuple, sessionKey } from "../../src/sessions/key.js";
import type { OpenedStore } from "../../src/store/sqlite/index.js";

/** People who talk with the bot, as the gateway would store it, without one. */

export interface WorldPerson {
  id: string;
  name: string;
}

export interface Place {
  kind: "dm" | "room" | "own-in-room";
  chat: string;
  /** Several bots of one platform may be in use. */
  account?: string;
}

export const PLATFORM = "chatter";

const isolation = (place: Place) => ({
  groupSessionsPerUser: place.kind === "own-in-room",
  threadSessionsPerUser: false,
});

export class World {
  #events = 0;
  readonly #store: OpenedStore;

  constructor(store: OpenedStore) {
    this.#store = store;
  }

  get lastMessageId(): string {
    return String(this.#events);
  }

  origin(person: WorldPerson, place: Place): Origin {
    return {
      platform: PLATFORM,
      chatType: place.kind === "dm" ? "dm" : "group",
      chatId: place.kind === "dm" ? `dm-${person.id}` : place.chat,
      userId: person.id,
      userName: person.name,
      messageId: String(++this.#events),
    };
  }

  message(
    person: WorldPerson,
    place: Place,
    text: string,
    more: Partial<InboundMessage> = {},
  ): InboundMessage {
    const origin = this.origin(person, place);
    const account = place.account ?? "bot";
    return {
      platform: PLATFORM,
      account,
      eventId: `${origin.chatId}:${origin.messageId}`,
      origin,
      text,
      attachments: [],
      sentAt: Date.now() / 1000,
      mentioned: true,
      repliedToBot: false,
      threadWithBot: false,
      isBot: false,
      authenticated: false,
      ...more,
    };
  }

  keyOf(person: WorldPerson, place: Place): string {
    return sessionKey(this.origin(person, place), isolation(place));
  }

  /** It came, and waits. */
  async receive(person: WorldPerson, place: Place, text: string, more: Partial<InboundMessage> = {}) {
    const message = this.message(person, place, text, more);
    const key = sessionKey(message.origin, isolation(place));
    const [row] = await this.#store.acceptMessages([
      { message, sessionKey: key, receivedAt: message.sentAt },
    ]);
    return { row: row!, key, message };
  }

  /** It came, was answered with its own words, and the answer was sent. */
  async say(
    person: WorldPerson,
    place: Place,
    text: string,
    more: Partial<InboundMessage> = {},
  ): Promise<string> {
    const { row, key, message } = await this.receive(person, place, text, more);
    const shared = isShared(message.origin, isolation(place));
    const current = await this.#store.getRoute(key);
    const principal = { platform: PLATFORM, userId: person.id };
    if (!current)
      await this.#store.switchRoute({
        sessionKey: key,
        origin: message.origin,
        tuple: originTuple(message.origin, isolation(place)),
        session: { source: PLATFORM, user_id: shared ? null : person.id, system_prompt: "You are Hermes." },
        expectedSessionId: null,
        endReason: "session_reset",
        at: message.sentAt,
      });
    const turnId = `turn-${row.id}`;
    const started = await this.#store.startTurn({
      sessionKey: key,
      inboxIds: [row.id],
      bootId: "boot",
      turnId,
      at: message.sentAt,
    });
    const asked = toMessages(started!.rows[0]!, shared, started!.notes);
    const answer = `You said: ${String(asked[0]!.content)}`;
    const target: Target = targetOf(message);
    await this.#store.finishTurn({
      turnId,
      sessionKey: key,
      sessionId: started!.session.id,
      epoch: started!.epoch,
      inboxIds: [row.id],
      messages: [...asked, { role: "assistant", content: answer, reasoning: `Thinking about ${text}` }],
      authors: [...asked.map(() => ({ ...principal, userName: person.name })), null],
      usage: {},
      participants: [principal],
      replies: [{ target, kind: "answer", text: answer }],
      notes: started!.notes,
    });
    for (const sent of await this.#store.claimDeliveries("boot", 10))
      await this.#store.settleDelivery(sent.id, { state: "sent", messageIds: [`out-${sent.id}`] }, "boot");
    return started!.session.id;
  }

  /** Head and tail are copied, the rest becomes a summary with everybody's words in it. */
  async compress(person: WorldPerson, place: Place): Promise<void> {
    const key = this.keyOf(person, place);
    const route = await this.#store.getRoute(key);
    if (!route) return;
    const conversation = await this.#store.getConversation(route.sessionId);
    const summary = `[CONTEXT COMPACTION — REFERENCE ONLY]\n${conversation.map(({ content }) => content).join("\n")}\n--- END OF CONTEXT SUMMARY — respond to the messages below, not to the summary above ---`;
    const [first, ...rest] = conversation.slice(-4);
    await this.#store.splitRoute({
      sessionKey: key,
      epoch: route.epoch,
      parentId: route.sessionId,
      messages: [
        ...conversation.slice(0, 2),
        { ...first!, content: `${summary}\n\n${String(first?.content)}` },
        ...rest,
      ],
    });
  }

  /** A copy that goes on under the same key. */
  async branch(person: WorldPerson, place: Place): Promise<void> {
    const key = this.keyOf(person, place);
    const route = await this.#store.getRoute(key);
    const session = route && (await this.#store.getSession(route.sessionId));
    if (!session) return;
    const { source, user_id } = session;
    const config = JSON.stringify({ _branched_from: session.id });
    const copy = await this.#store.createSession({
      ...{ source, user_id, parent_session_id: session.id, model_config: config },
    });
    await this.#store.appendMessages(copy.id, await this.#store.getMessages(session.id));
    await this.#store.switchRoute({ sessionKey: key, sessionId: copy.id, endReason: "session_switch" });
  }
}

type Row = Record<string, unknown>;

/** Words in the full text's own pages are words, too. */
function readable(row: Row): Row {
  const text = (value: unknown) => (Buffer.isBuffer(value) ? value.toString("utf8") : value);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)]));
}

/** Every row of every table, the hidden ones of the full text too. */
export function dump(file: string): Record<string, Row[]> {
  const db = new Database(file, { readonly: true });
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
      .pluck()
      .all() as string[];
    return Object.fromEntries(
      tables
        .filter((name) => name !== "messages_fts" && name !== "messages_fts_trigram")
        .map((name) => [
          name.toLowerCase(),
          (db.prepare(`SELECT * FROM "${name}"`).all() as Row[]).map(readable),
        ]),
    );
  } finally {
    db.close();
  }
}
