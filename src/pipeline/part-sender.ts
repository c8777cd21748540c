import { type Adapter, canFindPreview, canLookUp, type PartContext } from "../adapters/adapter.js";
import { SendError } from "../errors.js";
import { killPoint } from "../kill-point.js";
import type { OutboundMessage } from "../message.js";
import type { SecretGuard } from "../secrets/guard.js";
import type { OutboxPart, OutboxRow, Queues } from "../store/queues.js";
import type { Pace } from "./pace.js";

export interface SenderContext {
  store: Pick<Queues, "saveParts" | "recordPreview">;
  bootId: string;
  pace: Pick<Pace, "sent">;
  secrets: SecretGuard;
}

/**
 * One attempt at an outbox row: sends its parts in order. If there are several, they are stored before the
 * first is sent, and each part's ids are stored after it is sent, so the next attempt continues with the
 * first part without ids.
 */
export class PartSender {
  readonly row: OutboxRow;
  readonly #context: SenderContext;
  readonly #adapter: Adapter;
  readonly #message: OutboundMessage;
  readonly #parts: OutboxPart[];
  /** How many parts have stored ids; undefined if the parts aren't stored. */
  #saved: number | undefined;
  /** The next part may have arrived. */
  #mayBeRepeat: boolean;

  /** Throws if the adapter can't render the message. */
  constructor(context: SenderContext, adapter: Adapter, row: OutboxRow) {
    this.#context = context;
    this.#adapter = adapter;
    this.row = row;
    this.#message = toMessage(row, context.secrets);
    // Stored parts are sent as they are, even if the renderer has changed since.
    this.#parts = row.parts ? [...row.parts] : adapter.render(this.#message).map((part) => ({ part }));
    this.#saved = row.parts ? this.#next : undefined;
    this.#mayBeRepeat = row.mayBeRepeat;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  get isDone(): boolean {
    return this.#next === this.#parts.length;
  }

  get messageIds(): string[] {
    return this.#parts.flatMap(({ ids = [] }) => ids);
  }

  /** Sends the next part, unless it has arrived already. Rejects with a SendError, or with an adapter's own error. */
  async sendNext(signal: AbortSignal): Promise<void> {
    const before = this.#mayBeRepeat ? await this.lookUpNext(signal) : "missing";
    if (before !== "found") await this.#send(before === "unknown", signal);
    await this.#saveOrStop(this.save());
    if (!this.isDone) killPoint("part-stored");
  }

  async #send(mayBeRepeat: boolean, signal: AbortSignal): Promise<void> {
    if (this.#parts.length > 1 && this.#saved === undefined) await this.#saveOrStop(this.#saveAll());
    killPoint("before-send");
    const index = this.#next;
    const context = await this.#contextFor(index, mayBeRepeat, signal);
    const ids = await this.#adapter.sendPart(this.#message, this.#parts[index]!.part, context, signal);
    this.#context.pace.sent(this.row.target, ids.length);
    this.#arrived(ids);
    killPoint(this.isDone ? "sent" : "part-sent");
  }

  /** Asks the platform whether the next part has arrived. "unknown" if the platform can't tell; rejects if it can't tell right now. */
  async lookUpNext(signal: AbortSignal): Promise<"found" | "missing" | "unknown"> {
    const adapter = this.#adapter;
    if (!canLookUp(adapter)) return "unknown";
    // Without stored parts any number may have arrived: an older version may have sent them.
    const last = this.#saved === undefined ? this.#parts.length - 1 : this.#next;
    for (let index = this.#next; index <= last; index++) {
      const context = this.#baseContext(index, true);
      const found = await adapter.lookUp(this.#message, this.#parts[index]!.part, context, signal);
      if (typeof found === "string") return found;
      this.#arrived(found);
    }
    return "found";
  }

  /**
   * Stores the ids of the part that was just sent; those of the last part are stored with the outcome. False
   * if another process owns the message now.
   */
  async save(): Promise<boolean> {
    const { store, bootId } = this.#context;
    const next = this.#next;
    if (this.isDone || next === 0 || this.#saved === next) return true;
    if (this.#saved === undefined) return this.#saveAll();
    const arrived = { index: next - 1, ids: this.#parts[next - 1]!.ids! };
    const isOurs = await store.saveParts(this.row.id, arrived, bootId);
    this.#saved = next;
    return isOurs;
  }

  async #saveAll(): Promise<boolean> {
    const { store, bootId } = this.#context;
    const isOurs = await store.saveParts(this.row.id, this.#parts, bootId);
    this.#saved = this.#next;
    return isOurs;
  }

  /** The caller stores the ids again with the attempt's outcome. */
  async #saveOrStop(saving: Promise<boolean>): Promise<void> {
    const isOurs = await saving.catch((cause: unknown) => {
      throw new SendError("never_sent", "The parts of the message can't be stored", { cause });
    });
    if (!isOurs) throw new SendError("never_sent", "Another process is sending the message");
  }

  /** The first part without ids. */
  get #next(): number {
    const index = this.#parts.findIndex(({ ids }) => ids === undefined);
    return index === -1 ? this.#parts.length : index;
  }

  #arrived(ids: readonly string[]): void {
    const index = this.#next;
    this.#parts[index] = { ...this.#parts[index]!, ids };
    this.#mayBeRepeat = false;
  }

  #baseContext(index: number, mayBeRepeat: boolean): PartContext {
    const replaces = index === 0 ? (this.row.replaces ?? undefined) : undefined;
    return { index, count: this.#parts.length, sent: this.messageIds, mayBeRepeat, replaces };
  }

  /**
   * The chat may show a preview with an unknown id. If it can be found, it becomes the first part; otherwise
   * the first part is marked as a possible repeat.
   */
  async #contextFor(index: number, mayBeRepeat: boolean, signal: AbortSignal): Promise<PartContext> {
    const context = this.#baseContext(index, mayBeRepeat);
    const { id, target, lostPreviewOf } = this.row;
    if (lostPreviewOf === null || index > 0) return context;
    if (!canFindPreview(this.#adapter)) return { ...context, mayBeRepeat: true };
    const found = await this.#adapter.findPreview({ ...target, replyTo: lostPreviewOf }, signal);
    if (found === null) return context;
    const { store, bootId } = this.#context;
    const isOurs = await store.recordPreview({ step: "replaced", outboxId: id, messageId: found, bootId });
    return isOurs ? { ...context, replaces: found } : context;
  }
}

function toMessage(row: OutboxRow, secrets: SecretGuard): OutboundMessage {
  const { id, traceId, nonce, kind, target, turnId } = row;
  const clean = secrets.of("message", { traceId });
  const { text, details, question } = clean.redactJson({
    ...{ text: row.text, details: row.details, question: row.question },
  });
  const files = row.files.flatMap((file) =>
    "path" in file ? [{ ...file, name: clean.redact(file.name) }] : [],
  );
  return {
    ...{ id, traceId, nonce, kind, target, text, turnId },
    ...(files.length === 0 ? {} : { files }),
    ...(details ? { details } : {}),
    ...(question ? { question } : {}),
  };
}
