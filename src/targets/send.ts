import { setTimeout as waitMs } from "node:timers/promises";
import { HermesError } from "../errors.js";
import { formatTarget, type Target } from "../message.js";
import type { DeliveryRow, ReplyFile } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { TraceId } from "../trace-id.js";
import { findTarget } from "./find-target.js";
import type { KnownTargets } from "./target.js";

/** A message from the operator or a program: durable when this resolves, sent by the running gateway. */
export interface Send {
  to: string;
  text: string;
  /** Repeated calls with the same key queue one message. */
  key?: string | undefined;
  traceId?: TraceId | undefined;
  /** Copies of the files to attach, or the reasons why not. */
  files?: ((target: Target) => Promise<ReplyFile[]>) | undefined;
}

export interface QueuedSend {
  /** The outbox row. */
  id: number;
  target: Target;
}

const MAX_TEXT = 100_000;
const LOOK_MS = 100;

export async function queueSend(
  store: Pick<Store, "knownChats" | "enqueueReply">,
  { to, text, key, traceId, files: takeFiles }: Send,
  targets: Omit<KnownTargets, "chats">,
): Promise<QueuedSend> {
  if (text.trim() === "" && !takeFiles)
    throw new HermesError("invalid", "Nothing to send: the text is empty.");
  if (text.length > MAX_TEXT)
    throw new HermesError("invalid", `The text has ${text.length} characters; the maximum is ${MAX_TEXT}.`);
  const target = await findTarget(store, to, targets);
  if (!target) throw new HermesError("invalid", "The target must be a chat.", { hint: "platform:chat" });
  const files = (await takeFiles?.(target)) ?? [];
  for (const file of files)
    if ("problem" in file)
      throw new HermesError("invalid", `${file.name} can't be sent: ${file.problem}. Nothing was sent.`);
  const reply = { target, kind: "answer" as const, text, files, ...(traceId ? { traceId } : {}) };
  const id = await store.enqueueReply(reply, key);
  return { id, target };
}

/** The row once it is sent or dead, or as it is at the timeout. */
export async function awaitDelivery(
  store: Pick<Store, "getDelivery">,
  id: number,
  timeoutMs: number,
): Promise<DeliveryRow> {
  const endAt = performance.now() + timeoutMs;
  for (;;) {
    const row = await store.getDelivery(id);
    if (!row) throw new HermesError("not_found", `No message out:${id}.`);
    const isOpen = row.state === "pending" || row.state === "sending";
    if (!isOpen || performance.now() >= endAt) return row;
    await waitMs(LOOK_MS);
  }
}

/** The outcome, for programs. */
export function describeSend(row: DeliveryRow): object {
  const { id, target, state, attempts, error, messageIds, sentAt } = row;
  return { id: `out:${id}`, to: formatTarget(target), state, attempts, error, messageIds, sentAt };
}
