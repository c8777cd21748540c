/**
 * Keeps transcripts in step with the database. A write that fails is marked there, in a table of its own: the sessions
 * folder is what just failed. A marked transcript is written anew with the session's next message, or at the next start.
 *
 * A mark with every turn would also cover a crash between a commit and its line, at the price of two more writes a turn.
 * A crash can only hit what was written in its last moments, so then the sessions that were last in use are compared.
 */
import { HermesError } from "../errors.js";
import type { NewMessage, SessionId } from "../session.js";
import type { Store } from "../store/store.js";
import type { TranscriptSession, Transcripts } from "./transcript.js";

type KeptStore = Pick<
  Store,
  "getSession" | "getMessages" | "listSessions" | "markTranscript" | "unmarkTranscript" | "markedTranscripts"
>;

export interface KeeperOptions {
  transcripts: Pick<Transcripts, "append" | "rebuild" | "mend" | "idle">;
  store: KeptStore;
  log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
  };
}

/** More are only marked: the next start finds them. */
const MAX_INCOMPLETE = 10_000;
const COMPARED_MAX = 200;
const COMPARED_SECONDS = 60;

export class TranscriptKeeper {
  readonly #options: KeeperOptions;
  /** Transcripts that lack something. */
  readonly #incomplete = new Set<SessionId>();
  readonly #running = new Set<Promise<void>>();

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Messages were committed. */
  committed(session: TranscriptSession, messages: readonly NewMessage[]): void {
    if (this.#incomplete.has(session.id)) this.changed(session.id);
    else this.#run(session.id, () => this.#options.transcripts.append(session, messages));
  }

  /** The messages of a session are others than before. */
  changed(id: SessionId): void {
    const { transcripts, store } = this.#options;
    this.#run(id, async () => {
      await transcripts.rebuild(store, id);
      if (this.#incomplete.delete(id)) await store.unmarkTranscript(id);
    });
  }

  /** At a start: those that are marked, and after a crash those that were last in use. */
  async mend({ afterCrash }: { afterCrash: boolean }): Promise<void> {
    const { store } = this.#options;
    for (const id of await store.markedTranscripts()) {
      if (await this.#mend(id)) await store.unmarkTranscript(id);
    }
    if (!afterCrash) return;
    for (const id of await this.#lastInUse()) await this.#mend(id);
  }

  /** Resolves when nothing is being written any more. */
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
    log.warn({ err: error, sessionId: id }, "transcript was not written");
    // An id that can't be a file name never has one.
    if (error instanceof HermesError && error.code === "invalid") return;
    if (this.#incomplete.size < MAX_INCOMPLETE) this.#incomplete.add(id);
    await store.markTranscript(id).catch((cause: unknown) => {
      log.warn({ err: cause, sessionId: id }, "transcript was not marked as incomplete");
    });
  }

  /** False: it failed. */
  async #mend(id: SessionId): Promise<boolean> {
    const { transcripts, store, log } = this.#options;
    try {
      if (await transcripts.mend(store, id)) log.info({ sessionId: id }, "transcript mended");
      return true;
    } catch (error) {
      log.warn({ err: error, sessionId: id }, "transcript was not mended");
      return false;
    }
  }

  async #lastInUse(): Promise<SessionId[]> {
    const { store } = this.#options;
    const query = { order: "active", limit: COMPARED_MAX, includeArchived: true } as const;
    const sessions = await store.listSessions(query);
    const recent = sessions.filter(
      ({ last_active }) => last_active > sessions[0]!.last_active - COMPARED_SECONDS,
    );
    // The last words may be those before a summary: then they are the parent's.
    const ids = recent.flatMap(({ id, parent_session_id }) => [id, parent_session_id]);
    return ids.filter((id) => id !== null);
  }
}
