/**
 * Messages → `sessions/<session id>.jsonl`, one line each, after they were committed. Derived from the database:
 * a crash may leave a line out or half a line; whoever finds a file wrong rebuilds it.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { nowSeconds } from "../clock.js";
import { HermesError } from "../errors.js";
import { readRegular } from "../regular-file.js";
import type { MessageRow, NewMessage, SessionId, SessionRow } from "../session.js";
import type { OnProgress, Store } from "../store/store.js";
import { FilesThread } from "./files-thread.js";
import { replaceFile } from "./index-file.js";

export type TranscriptSession = Pick<SessionRow, "id" | "source" | "model" | "started_at">;

/** Ids become file names: letters, digits and marks that mean nothing to a file system. */
const SAFE_ID = /^[A-Za-z0-9_][A-Za-z0-9_.:@+=~-]{0,199}$/;

export class Transcripts {
  readonly #dir: string;
  readonly #files: FilesThread;
  /** The last work on each file that has any: what comes next waits for it. */
  readonly #busy = new Map<SessionId, Promise<unknown>>();
  /** The time of the last message in files that were written whole: it may be in line for an append still. */
  readonly #writtenUntil = new Map<SessionId, number>();

  constructor({ dir, files = new FilesThread() }: { dir: string; files?: FilesThread }) {
    this.#dir = dir;
    this.#files = files;
  }

  /** A file that isn't there yet begins with the session's own line. */
  append(session: TranscriptSession, messages: readonly NewMessage[]): Promise<void> {
    return this.#inTurn(session.id, async (path) => {
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

  /** Resolves when nothing is being written any more. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy.values());
  }

  /** Writes the file anew from the database, undone messages left out. False when there is no such session. */
  rebuild(store: Pick<Store, "getSession" | "getMessages">, id: SessionId): Promise<boolean> {
    return this.#inTurn(id, async (path) => {
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

  /** After a crash: rebuilds the file only if it doesn't say what the database says. True when it had to. */
  mend(store: Pick<Store, "getSession" | "getMessages">, id: SessionId): Promise<boolean> {
    return this.#inTurn(id, async (path) => {
      const session = await store.getSession(id);
      if (!session) return false;
      const wanted = wholeText(session, await store.getMessages(id));
      const found = await readRegular(path).catch(() => undefined);
      if (found?.toString() === wanted) return false;
      await write(path, wanted);
      return true;
    });
  }

  /** Gives how many were written; sessions whose id can't be a file name have no transcript. */
  async rebuildAll(
    store: Pick<Store, "exportSessions" | "countExport">,
    onProgress: OnProgress = () => undefined,
  ): Promise<number> {
    const total = await store.countExport({});
    let done = 0;
    let written = 0;
    for await (const session of store.exportSessions()) {
      if (SAFE_ID.test(session.id)) {
        await this.#inTurn(session.id, (path) => write(path, wholeText(session, session.messages)));
        written += 1;
      }
      onProgress({ step: "Writing transcripts", done: ++done, total });
    }
    return written;
  }

  remove(id: SessionId): Promise<void> {
    return this.#inTurn(id, (path) => rm(path, { force: true }));
  }

  /** Removes the files of sessions that are gone. Gives how many. */
  async tidy(store: Pick<Store, "getSession">): Promise<number> {
    const files = await readdir(this.#dir).catch(() => []);
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

  /** One after another for each file. A failure is its caller's and doesn't stop the next. */
  async #inTurn<T>(id: SessionId, work: (path: string) => Promise<T>): Promise<T> {
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
    throw new HermesError("invalid", `The session id ${JSON.stringify(id)} can't be a file name.`);
  }
}

async function write(path: string, text: string): Promise<void> {
  await replaceFile(path, [text], ".transcript_");
}

function wholeText(session: TranscriptSession, messages: readonly MessageRow[]): string {
  return line(sessionMeta(session)) + messageLines(messages);
}

function messageLines(messages: readonly NewMessage[]): string {
  // Hermes keeps a row of this role in the database; here the first line has its place.
  const said = messages.filter(({ role }) => role !== "session_meta");
  return said.map((message) => line(openAiMessage(message))).join("");
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function sessionMeta({ source, model, started_at }: TranscriptSession): object {
  return { role: "session_meta", model, platform: source, timestamp: started_at };
}

/** What has no value is left out, but for the content: an assistant that only calls tools says null. */
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
