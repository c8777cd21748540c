/**
 * The last messages that were sent. The log has a message only once its delivery is settled, which is after the send: a
 * tab that connects in between would otherwise never see it.
 */
import type { OutboundMessage } from "../../message.js";
import { buttonsFor } from "./questions.js";
import type { WebLogEntry } from "./types.js";

const MOST = 200;

export class Recent {
  readonly #sent: { chatId: string; entry: WebLogEntry }[] = [];

  add(chatId: string, entry: WebLogEntry): void {
    this.#sent.push({ chatId, entry });
    if (this.#sent.length > MOST) this.#sent.shift();
  }

  /** The log, completed with newer messages. */
  complete(chatId: string, log: readonly WebLogEntry[]): WebLogEntry[] {
    const known = new Set(log.map((entry) => entry.id));
    const newest = Math.max(0, ...log.map((entry) => outboxId(entry) ?? 0));
    const missing = new Map(
      this.#sent
        .filter(({ chatId: theirs, entry }) => theirs === chatId && !known.has(entry.id))
        // Older ones fell out of the log on purpose: it has a limit.
        .filter(({ entry }) => outboxId(entry)! > newest)
        .map(({ entry }) => [entry.id, entry]),
    );
    return [...log, ...missing.values()];
  }
}

/** Remembers the last ids that it was given. */
export class RecentIds {
  readonly #ids = new Set<string>();

  /** False when it has seen this one. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > MOST) this.#ids.delete(this.#ids.values().next().value!);
    return true;
  }
}

/** 34 of `out:34`; undefined for what the user wrote. */
export function outboxId(entry: Pick<WebLogEntry, "id">): number | undefined {
  const digits = /^out:(\d+)$/.exec(entry.id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function entryOf(message: OutboundMessage, now: number): WebLogEntry {
  const { id, kind, text, turnId, files = [], question } = message;
  const shown = files.map(({ name, mimeType, bytes }) => ({ name, mimeType, bytes }));
  return {
    ...{ id: `out:${id}`, from: "bot", kind, text, at: now, turnId },
    ...(shown.length > 0 ? { files: shown } : {}),
    ...buttonsFor(question),
  };
}
