/** Sends messages as delivery does, with an outbox in memory: another attempt continues where the last one stopped. */
import { expect } from "vitest";
import type { Adapter, CanLookUp, LookedUp, PartContext } from "../../src/adapters/adapter.js";
import { SendError } from "../../src/errors.js";
import type { OutboundMessage } from "../../src/message.js";
import { PartSender } from "../../src/pipeline/part-sender.js";
import { SecretGuard } from "../../src/secrets/guard.js";
import type { OutboxPart, OutboxRow, SentPart } from "../../src/store/queues.js";

/** A message with what its outbox row knows besides. */
export interface Outgoing extends OutboundMessage {
  mayBeRepeat?: boolean;
  replaces?: string;
}

const stored = new Map<string, OutboxPart[]>();
/** Test files share this module, and use the same nonces. */
const keyOf = ({ nonce }: OutboundMessage) => `${expect.getState().testPath} ${nonce}`;

export async function send(
  adapter: Adapter,
  message: Outgoing,
  signal: AbortSignal,
): Promise<{ messageIds: string[] }> {
  const key = keyOf(message);
  const store = {
    saveParts: async (_: number, parts: readonly OutboxPart[] | SentPart) => {
      if ("index" in parts) stored.get(key)![parts.index]!.ids = parts.ids;
      else stored.set(key, structuredClone([...parts]));
      return true;
    },
    recordPreview: async () => true,
  };
  const sender = new PartSender(
    {
      ...{ store, bootId: "boot", pace: { sent: () => undefined } },
      secrets: new SecretGuard([], () => undefined),
    },
    adapter,
    rowOf(message),
  );
  if (sender.isEmpty) throw new SendError("refused", "There is nothing to send");
  while (!sender.isDone) await sender.sendNext(signal);
  return { messageIds: sender.messageIds };
}

/** As after an upgrade from a version that stored no parts. */
export function forgetParts(message: OutboundMessage): void {
  stored.delete(keyOf(message));
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
    parts: stored.get(keyOf(message)) ?? null,
  };
}
