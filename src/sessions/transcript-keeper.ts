/**
 * Keeps transcripts in sync with the database. A failed write is marked in the database, because the sessions folder just
 * failed. A marked transcript is rewritten with the session's next message, or at the next start.
 *
 * Marking every turn would also cover a crash between a commit and its line, but costs two more writes per turn. Instead,
 * after a crash the most recently used sessions are compared with their files.
 */
import { HermesError } from "../errors.js";
import type { NewMessage, SessionId } from "../session.js";
import type { Store } from "../store/store.js";
import type { TranscriptSession, Transcripts } from "./transcript.js";

type KeptStore = Pick<
  Store,
  "getSession" | "getMessages" | "listSessions" | "markTranscript" | "markedTranscripts"
>;

export interface KeeperOptions {
  transcripts: Pick<Transcripts, "append" | "rebuild" | "repair" | "idle">;
  store: KeptStore;
  log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** Beyond this, transcripts are only marked and repaired at the next start. */
const MAX_INCOMPLETE = 10_000;
const MAX_COMPARED = 200;
const COMPARED_SECONDS = 60;

export class TranscriptKeeper {
  readonly #options: KeeperOptions;
  /** Sessions whose transcripts lack messages. */
  readonly #incomplete = new Set<SessionId>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Call after messages were committed. */
  committed(session: TranscriptSession, messages: readonly NewMessage[]): void {
    if (this.#incomplete.has(session.id)) this.changed(session.id);
    else this.#run(session.id, () => this.#options.transcripts.append(session, messages));
  }

  /** Call after existing messages of a session were changed or removed. */
  changed(id: SessionId): void {
    const { transcripts, store } = this.#options;
    this.#run(id, async () => {
      await transcripts.rebuild(store, id);
      if (this.#incomplete.delete(id)) await store.markTranscript(id, true);
    });
  }

  /** At startup: repairs marked transcripts and, after a crash, those of the most recently used sessions. */
  async repair({ afterCrash }: { afterCrash: boolean }): Promise<void> {
    const { store } = this.#options;
    for (const id of await store.markedTranscripts()) {
      if (await this.#repair(id)) await store.markTranscript(id, true);
    }
    if (!afterCrash) return;
    for (const id of await this.#lastInUse()) await this.#repair(id);
  }

  /** Resolves when no write is pending. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    await this.#options.transcripts.idle();
  }

  #run(id: SessionId, work: () => Promise<unknown>): void {
    const running = work()
      .then(
        () => undefined,
        (error: unknown) => this.#missed(id, error),
      )
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #missed(id: SessionId, error: unknown): Promise<void> {
    const { store, log } = this.#options;
    log.warn({ err: error, sessionId: id }, "could not write transcript");
    // An id that isn't a valid file name never has a transcript.
    if (error instanceof HermesError && error.code === "invalid") return;
    if (this.#incomplete.size < MAX_INCOMPLETE) this.#incomplete.add(id);
    await store.markTranscript(id, false).catch((cause: unknown) => {
      log.warn({ err: cause, sessionId: id }, "could not mark transcript as incomplete");
    });
  }

  /** Returns false on failure. */
  async #repair(id: SessionId): Promise<boolean> {
    const { transcripts, store, log } = this.#options;
    try {
      if (await transcripts.repair(store, id)) log.info({ sessionId: id }, "transcript repaired");
      return true;
    } catch (error) {
      log.warn({ err: error, sessionId: id }, "could not repair transcript");
      return false;
    }
  }

  async #lastInUse(): Promise<SessionId[]> {
    const { store } = this.#options;
    const query = { order: "active", limit: MAX_COMPARED, includeArchived: true } as const;
    const sessions = await store.listSessions(query);
    const recent = sessions.filter(
      ({ last_active }) => last_active > sessions[0]!.last_active - COMPARED_SECONDS,
    );
    // After a split the last messages may belong to the parent.
    const ids = recent.flatMap(({ id, parent_session_id }) => [id, parent_session_id]);
    return ids.filter((id) => id !== null);
  }
}
