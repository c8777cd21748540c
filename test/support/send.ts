/** Sends messages as delivery does, with an outbox in memory: another attempt continues where the last one stopped. */
import type { Adapter, CanLookUp, LookedUp, PartContext } from "../../src/adapters/adapter.js";
import { SendError } from "../../src/errors.js";
import type { OutboundMessage } from "../../src/message.js";
import { PartSender } from "../../src/pipeline/part-sender.js";
import type { OutboundQuestion } from "../../src/question.js";
import type { OutboxPart, OutboxRow } from "../../src/store/queues.js";

/** A message with what its outbox row knows besides. */
export interface Outgoing extends OutboundMessage {
  mayBeRepeat?: boolean;
  replaces?: string;
}

const stored = new Map<string, OutboxPart[]>();

export async function send(
  adapter: Adapter,
  message: Outgoing,
  signal: AbortSignal,
): Promise<{ messageIds: string[] }> {
  const { nonce } = message;
  const store = {
    saveParts: async (_: number, parts: readonly OutboxPart[]) => void stored.set(nonce, [...parts]),
    savePart: async (_: number, index: number, ids: readonly string[]) => {
      stored.get(nonce)![index] = { ...stored.get(nonce)![index]!, ids };
    },
    namePreview: async () => true,
  };
  const able = message.question ? asking(adapter, message.question) : adapter;
  const sender = new PartSender({ store, pace: { sent: () => undefined } }, able, rowOf(message));
  if (sender.isEmpty) throw new SendError("refused", "There is nothing to send");
  while (!sender.isDone) await sender.sendNext(signal);
  return { messageIds: sender.messageIds };
}

/** The adapter gets the question with every message. */
function asking(adapter: Adapter, question: OutboundQuestion): Adapter {
  return new Proxy(adapter, {
    get: (target, name: keyof Adapter) => {
      if (name === "render") return (message: OutboundMessage) => target.render({ ...message, question });
      if (name === "sendPart")
        return (message: OutboundMessage, ...rest: SendRest) =>
          target.sendPart({ ...message, question }, ...rest);
      const value: unknown = target[name];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

type SendRest = Parameters<Adapter["sendPart"]> extends [unknown, ...infer Rest] ? Rest : never;

/** As after an upgrade from a version that stored no parts. */
export function forgetParts({ nonce }: OutboundMessage): void {
  stored.delete(nonce);
}

/** Asks about a message's first part. */
export function lookUp(
  adapter: Adapter & CanLookUp,
  message: Outgoing,
  signal: AbortSignal,
): Promise<LookedUp> {
  const [part, ...more] = adapter.render(message);
  const { replaces } = message;
  const context: PartContext = { index: 0, count: 1 + more.length, sent: [], mayBeRepeat: true, replaces };
  return adapter.lookUp(message, part!, context, signal);
}

function rowOf({ mayBeRepeat = false, replaces, files = [], ...message }: Outgoing): OutboxRow {
  return {
    ...message,
    traceId: message.traceId ?? "0".repeat(32),
    state: "sending",
    attempts: 1,
    createdAt: 0,
    mayBeRepeat,
    replaces: replaces ?? null,
    lostPreviewOf: null,
    files,
    parts: stored.get(message.nonce) ?? null,
  };
}
