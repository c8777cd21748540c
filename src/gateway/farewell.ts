import PQueue from "p-queue";
import { describeError } from "../errors.js";
import type { SessionId } from "../session.js";
import type { Farewell } from "../store/farewell.js";
import type { GatewayParts } from "./parts.js";

/** At four in the morning all sessions end at once: their last turns take their time, a few at a time. */
const AT_ONCE = 2;
const ATTEMPTS_MAX = 3;
const TRY_AGAIN_MS = 60_000;
const TIME_MS = 60_000;
const LAST_WORDS = `This conversation is about to be closed. If it holds something about the person or the work that will
matter later and isn't in your memory yet, save it now with the memory tool, briefly. Otherwise do nothing. Your
answer is not shown to anybody.`;

/** Before a session that ended by itself is gone from view, its agent may save what matters. Bounded, in the background. */
export class Farewells {
  readonly #parts: GatewayParts;
  readonly #stopping: AbortSignal;
  readonly #queue = new PQueue({ concurrency: AT_ONCE });
  readonly #inLine = new Set<SessionId>();
  #again: NodeJS.Timeout | undefined;

  constructor(parts: GatewayParts, stopping: AbortSignal) {
    this.#parts = parts;
    this.#stopping = stopping;
  }

  add(farewell: Farewell): void {
    const { sessionId, sessionKey } = farewell;
    if (this.#inLine.has(sessionId)) return;
    this.#inLine.add(sessionId);
    void this.#queue
      .add(() => this.#takeLeave(farewell))
      .catch((error: unknown) => this.#parts.log.warn({ err: error, sessionKey }, "memories were not saved"))
      .finally(() => this.#inLine.delete(sessionId));
  }

  /** Those that a stop or a crash has cut off, and those that failed. */
  async look(): Promise<void> {
    for (const farewell of await this.#parts.store.openFarewells(this.#parts.share)) this.add(farewell);
  }

  /** What is left is noted, for the next start. */
  async stop(): Promise<void> {
    clearTimeout(this.#again);
    this.#queue.clear();
    await this.#queue.onIdle();
  }

  async #takeLeave(farewell: Farewell): Promise<void> {
    const { store, log } = this.#parts;
    const { sessionId, sessionKey } = farewell;
    const attempt = (await store.startFarewell(sessionId)) ?? ATTEMPTS_MAX;
    const reason = await this.#saveMemories(farewell).catch((error: unknown) => describeError(error).message);
    if (reason !== undefined) log.warn({ sessionKey, attempt, reason }, "memories were not saved");
    if (reason === undefined || attempt >= ATTEMPTS_MAX) await store.endFarewell(sessionId);
    else this.#lookAgain();
  }

  /** Undefined: it had its chance. Else what went wrong. */
  async #saveMemories({ sessionId, sessionKey, platform, userId }: Farewell): Promise<string | undefined> {
    const { store, agent, tools } = this.#parts;
    const session = await store.getSession(sessionId);
    if (!session || session.message_count === 0 || agent.name === "echo") return undefined;
    const principal = { platform, userId };
    const request = {
      session: { id: sessionId, key: sessionKey, source: session.source },
      principal,
      systemPrompt: session.system_prompt ?? "",
      history: await store.getConversation(sessionId),
      input: [{ role: "user", content: LAST_WORDS }],
      tools: (await tools(session, principal)).filter((tool) => tool.name === "memory"),
      takeSteering: () => [],
    };
    const signal = AbortSignal.any([this.#stopping, AbortSignal.timeout(TIME_MS)]);
    for await (const event of agent.run(request, signal))
      if (event.type === "failed") return event.failure.message;
    return undefined;
  }

  #lookAgain(): void {
    if (this.#stopping.aborted) return;
    this.#again ??= setTimeout(() => {
      this.#again = undefined;
      this.look().catch((error: unknown) => this.#parts.log.warn({ err: error }, "memories were not saved"));
    }, TRY_AGAIN_MS);
  }
}
