/** The live state of people's conversations: events for their tabs, and answers that are being written. */
import { randomUUID } from "node:crypto";
import { BoundedMap } from "../../bounded-map.js";
import { nowSeconds } from "../../clock.js";
import type { Target } from "../../message.js";
import type { ShownCall } from "../adapter.js";
import type { AnswerUsage, LiveTurn, NoticeMessage, ToolCall, TurnFinished, WebEvent } from "./api.js";
import { EventLog } from "./event-log.js";
import type { EventStream } from "./event-stream.js";
import { Hub } from "./hub.js";
import { MAIN } from "./normalise.js";
import { Previews } from "./previews.js";
import type { WebBounds } from "./types.js";

/** A conversation of a person: `main` is the chat without a thread. */
export interface ConversationRef {
  person: string;
  conversationId: string;
}

export function conversationRef({
  chatId,
  threadId,
}: Pick<Target, "chatId" | "threadId">): ConversationRef | undefined {
  return chatId === null ? undefined : { person: chatId, conversationId: threadId ?? MAIN };
}

type Turn = Omit<LiveTurn, "elapsed" | "conversationId">;

/** The page folds the rest. */
const MAX_TOOLS = 200;
const MAX_ENDED = 500;

export class Live {
  readonly #hub: Hub;
  readonly #log = new EventLog(randomUUID().slice(0, 8));
  readonly #turns = new Map<string, { ref: ConversationRef; turn: Turn; usage: AnswerUsage }>();
  /** Of turns that have just ended: their answers may be sent later. */
  readonly #used = new BoundedMap<string, AnswerUsage>(MAX_ENDED);
  readonly #seconds = new BoundedMap<string, Record<string, number>>(MAX_ENDED);
  readonly #previews: Previews;

  constructor(bounds: WebBounds) {
    this.#hub = new Hub(bounds);
    this.#previews = new Previews(bounds.previewMs, (key, { turnId, text }) =>
      this.#write(key, turnId, text),
    );
  }

  /** Undefined if there are too many streams. */
  open(
    person: string,
    address: string,
    cursor: string | undefined,
    cut: () => void,
  ): EventStream | undefined {
    const stream = this.#hub.subscribe(person, address, cut);
    if (!stream) return undefined;
    const { missed, events } = this.#log.after(person, cursor);
    const turns = this.turnsOf(person);
    push(stream, { type: "hello", missed, cursor: this.#log.cursor, turns }, this.#log.cursor);
    for (const { id, event } of events) push(stream, event, id);
    return stream;
  }

  get cursor(): string {
    return this.#log.cursor;
  }

  beat(): void {
    this.#hub.beat();
  }

  close(): void {
    this.#previews.clear();
    this.#turns.clear();
    this.#hub.close();
  }

  /** A device was signed out: tabs show again who they are. */
  cut(person: string): void {
    this.#show(person, { type: "identity" });
    this.#hub.closeChat(person);
  }

  /** Something that is stored: tabs that reconnect get it, too. */
  publish(person: string, event: WebEvent): void {
    this.#show(person, event, this.#log.add(person, event));
  }

  /** The gateway's undecided messages since then. The queues have them only after the send is settled. */
  noticesAt({ person, conversationId }: ConversationRef, since: number): NoticeMessage[] {
    const events = this.#log.of(person);
    const decided = new Set(events.flatMap((one) => (one.type === "decided" ? [one.messageId] : [])));
    return events.flatMap((one) =>
      one.type === "message" &&
      one.conversationId === conversationId &&
      one.message.from === "gateway" &&
      one.message.at >= since &&
      !decided.has(one.message.id)
        ? [one.message]
        : [],
    );
  }

  turnsOf(person: string): LiveTurn[] {
    return [...this.#turns.values()]
      .filter(({ ref }) => ref.person === person)
      .map(({ ref, turn }) => toLive(ref, turn));
  }

  turnOf(ref: ConversationRef): LiveTurn | null {
    const known = this.#turns.get(keyOf(ref));
    return known ? toLive(ref, known.turn) : null;
  }

  started(ref: ConversationRef, turnId: string, startedAt: number, clientIds: readonly string[]): void {
    const turn = { turnId, startedAt, text: "", tools: [], waiting: false, clientIds: [...clientIds] };
    this.#turns.set(keyOf(ref), { ref, turn, usage: { ...NO_USAGE } });
    const event = { type: "turn-started", conversationId: ref.conversationId } as const;
    this.#show(ref.person, { ...event, turn: toLive(ref, turn) });
  }

  text(ref: ConversationRef, turnId: string, text: string): void {
    if (this.#turns.get(keyOf(ref))?.turn.turnId === turnId)
      this.#previews.offer(keyOf(ref), { turnId, text });
  }

  tool(ref: ConversationRef, { turnId, callId, tool, args, state, seconds }: ShownCall): void {
    const known = this.#turns.get(keyOf(ref));
    if (known?.turn.turnId !== turnId) return;
    const call: ToolCall = { callId, tool, args, state, result: null, seconds: seconds ?? null };
    const others = known.turn.tools.filter((one) => one.callId !== callId);
    known.turn.tools = [...others, call].slice(-MAX_TOOLS);
    const { person, conversationId } = ref;
    this.#show(person, { type: "tool", conversationId, turnId, call });
  }

  used(ref: ConversationRef, turnId: string, used: Omit<AnswerUsage, "seconds">): void {
    const known = this.#turns.get(keyOf(ref));
    if (known?.turn.turnId !== turnId) return;
    const { inputTokens, outputTokens, costUsd } = known.usage;
    known.usage = {
      model: used.model,
      inputTokens: inputTokens + used.inputTokens,
      outputTokens: outputTokens + used.outputTokens,
      costUsd: used.costUsd === null ? costUsd : (costUsd ?? 0) + used.costUsd,
      seconds: null,
    };
  }

  /** Until now; null if nothing is known about it. */
  usageOf(ref: ConversationRef, turnId: string | null): AnswerUsage | null {
    const known = this.#turns.get(keyOf(ref));
    if (known?.turn.turnId !== turnId) return (turnId && this.#used.get(turnId)) || null;
    if (known.usage.model === null) return null;
    return { ...known.usage, seconds: Math.max(0, nowSeconds() - known.turn.startedAt) };
  }

  /** How long the turn's calls took, by their ids. */
  secondsOf(ref: ConversationRef, turnId: string | null): Record<string, number> {
    const known = this.#turns.get(keyOf(ref));
    if (known?.turn.turnId !== turnId) return (turnId && this.#seconds.get(turnId)) || {};
    const timed = known.turn.tools.filter(({ seconds }) => seconds !== null);
    return Object.fromEntries(timed.map(({ callId, seconds }) => [callId, seconds!]));
  }

  /** Returns its usage; null if nothing is known about it. */
  ended(ref: ConversationRef, turnId: string, outcome: TurnFinished["outcome"]): AnswerUsage | null {
    if (this.#turns.get(keyOf(ref))?.turn.turnId !== turnId) return null;
    const usage = this.usageOf(ref, turnId);
    if (usage) this.#used.set(turnId, usage);
    this.#seconds.set(turnId, this.secondsOf(ref, turnId));
    this.#previews.forget(keyOf(ref));
    this.#turns.delete(keyOf(ref));
    const { person, conversationId } = ref;
    this.publish(person, { type: "turn-finished", conversationId, turnId, outcome, usage });
    return usage;
  }

  #write(key: string, turnId: string, text: string): void {
    const known = this.#turns.get(key);
    if (known?.turn.turnId !== turnId) return;
    const from = commonStart(known.turn.text, text);
    if (from === text.length && from === known.turn.text.length) return;
    known.turn.text = text;
    const { person, conversationId } = known.ref;
    this.#show(person, { type: "delta", conversationId, turnId, from, text: text.slice(from) });
  }

  #show(person: string, { type: event, ...data }: WebEvent, id?: string): void {
    this.#hub.push(person, { event, data, ...(id === undefined ? {} : { id }) });
  }
}

const NO_USAGE: AnswerUsage = {
  ...{ model: null, inputTokens: 0, outputTokens: 0, costUsd: null, seconds: null },
};

function push(stream: EventStream, { type: event, ...data }: WebEvent, id: string): void {
  stream.push({ event, data, id });
}

function keyOf({ person, conversationId }: ConversationRef): string {
  return `${person}/${conversationId}`;
}

function toLive({ conversationId }: ConversationRef, turn: Turn): LiveTurn {
  return { ...turn, conversationId, elapsed: Math.max(0, nowSeconds() - turn.startedAt) };
}

/** Almost always the whole of the first one: answers grow at their end. */
function commonStart(before: string, after: string): number {
  if (after.startsWith(before)) return before.length;
  let length = 0;
  while (length < before.length && before[length] === after[length]) length += 1;
  return length;
}
