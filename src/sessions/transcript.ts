/**
 * Messages → `sessions/<session id>.jsonl`, one line each, after they were committed. Derived from the database:
 * a crash may lose a line or leave half a line; an inconsistent file is rebuilt when it is found.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { nowSeconds } from "../clock.js";
import { HermesError } from "../errors.js";
import { ifMissing } from "../missing.js";
import { readRegular } from "../regular-file.js";
import type { MessageRow, NewMessage, SessionId, SessionRow } from "../session.js";
import type { OnProgress, Store } from "../store/store.js";
import { FilesThread } from "./files-thread.js";
import { replaceFile } from "./index-file.js";

export type TranscriptSession = Pick<SessionRow, "id" | "source" | "model" | "started_at">;

/** Ids become file names: only letters, digits and harmless punctuation. */
const SAFE_ID = /^[A-Za-z0-9_][A-Za-z0-9_.:@+=~-]{0,199}$/;

export class Transcripts {
  readonly #dir: string;
  readonly #files: FilesThread;
  /** The last pending operation on each file. The next one waits for it. */
  readonly #busy = new Map<SessionId, Promise<unknown>>();
  /** Timestamp of the last message in rewritten files: an append of the same message may still be pending. */
  readonly #writtenUntil = new Map<SessionId, number>();

  constructor({ dir, files = new FilesThread() }: { dir: string; files?: FilesThread }) {
    this.#dir = dir;
    this.#files = files;
  }

  /** A new file starts with a line about the session. */
  append(session: TranscriptSession, messages: readonly NewMessage[]): Promise<void> {
    return this.#serialised(session.id, async (path) => {
      const missing = this.#notWritten(session.id, messages);
      const first = line(sessionMeta(session));
      await this.#files.call("append", { path, first, text: messageLines(missing) });
    });
  }

  #notWritten(id: SessionId, messages: readonly NewMessage[]): readonly NewMessage[] {
    const until = this.#writtenUntil.get(id) ?? Number.NEGATIVE_INFINITY;
    const missing = messages.filter(({ timestamp }) => timestamp === undefined || timestamp > until);
    if (missing.length === messages.length) this.#writtenUntil.delete(id);
    return missing;
  }

  /** Resolves when no write is pending. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy.values());
  }

  /** Rewrites the file from the database, without undone messages. False if there is no such session. */
  rebuild(store: Pick<Store, "getSession" | "getMessages">, id: SessionId): Promise<boolean> {
    return this.#serialised(id, async (path) => {
      const session = await store.getSession(id);
      if (!session) {
        await rm(path, { force: true });
        return false;
      }
      const messages = await store.getMessages(id);
      await write(path, wholeText(session, messages));
      const last = messages.at(-1);
      if (last) this.#writtenUntil.set(id, last.timestamp);
      return true;
    });
  }

  /** Rewrites the file if it differs from the database. Returns whether it did. */
  repair(store: Pick<Store, "getSession" | "getMessages">, id: SessionId): Promise<boolean> {
    return this.#serialised(id, async (path) => {
      const session = await store.getSession(id);
      if (!session) return false;
      const wanted = wholeText(session, await store.getMessages(id));
      const found = await readRegular(path).catch(() => undefined);
      if (found?.toString() === wanted) return false;
      await write(path, wanted);
      return true;
    });
  }

  /** Returns the number of files written. Sessions whose id isn't a valid file name have none. */
  async rebuildAll(
    store: Pick<Store, "exportSessions">,
    onProgress: OnProgress = () => undefined,
  ): Promise<number> {
    const sessions = store.exportSessions();
    const total = await sessions.total();
    let done = 0;
    let written = 0;
    for await (const session of sessions) {
      if (SAFE_ID.test(session.id)) {
        await this.#serialised(session.id, (path) => write(path, wholeText(session, session.messages)));
        written += 1;
      }
      onProgress({ step: "Writing transcripts", done: ++done, total });
    }
    return written;
  }

  remove(id: SessionId): Promise<void> {
    return this.#serialised(id, (path) => rm(path, { force: true }));
  }

  /** Removes the files of deleted sessions. Returns how many. */
  async tidy(store: Pick<Store, "getSession">): Promise<number> {
    const files = await readdir(this.#dir).catch(ifMissing<string[]>([]));
    const ids = files
      .filter((file) => file.endsWith(".jsonl"))
      .map((file) => file.slice(0, -".jsonl".length));
    let removed = 0;
    for (const id of ids.filter((id) => SAFE_ID.test(id))) {
      if (await store.getSession(id)) continue;
      await this.remove(id);
      removed += 1;
    }
    return removed;
  }

  /** Serialises work per file. A failure only affects its caller. */
  async #serialised<T>(id: SessionId, work: (path: string) => Promise<T>): Promise<T> {
    const path = this.#path(id);
    const before = this.#busy.get(id)?.catch(() => undefined);
    const mine = (async () => {
      await before;
      return work(path);
    })();
    this.#busy.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.#busy.get(id) === mine) this.#busy.delete(id);
    }
  }

  #path(id: SessionId): string {
    if (SAFE_ID.test(id)) return join(this.#dir, `${id}.jsonl`);
    throw new HermesError("invalid", `The session id ${JSON.stringify(id)} isn't a valid file name.`);
  }
}

async function write(path: string, text: string): Promise<void> {
  await replaceFile(path, [text], ".transcript_");
}

function wholeText(session: TranscriptSession, messages: readonly MessageRow[]): string {
  return line(sessionMeta(session)) + messageLines(messages);
}

function messageLines(messages: readonly NewMessage[]): string {
  // Hermes stores a row with this role; here the first line replaces it.
  const written = messages.filter(({ role }) => role !== "session_meta");
  return written.map((message) => line(openAiMessage(message))).join("");
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function sessionMeta({ source, model, started_at }: TranscriptSession): object {
  return { role: "session_meta", model, platform: source, timestamp: started_at };
}

/** Omits fields without a value, except the content: it is null if the assistant only calls tools. */
function openAiMessage(message: NewMessage): object {
  const optional = {
    tool_calls: message.tool_calls,
    tool_call_id: message.tool_call_id,
    tool_name: message.tool_name,
    reasoning: message.reasoning,
    reasoning_details: message.reasoning_details,
    codex_reasoning_items: message.codex_reasoning_items,
    message_id: message.platform_message_id,
  };
  const known = Object.entries(optional).filter(([, value]) => value !== null && value !== undefined);
  return {
    role: message.role,
    content: message.content ?? null,
    ...Object.fromEntries(known),
    timestamp: message.timestamp ?? nowSeconds(),
  };
}
