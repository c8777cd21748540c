import { describeError } from "../errors.js";
import type { Person, Target } from "../message.js";
import { orderedId } from "../ordered-id.js";
import { attemptsExhausted, nextAttempt } from "../policies/retry.js";
import type { SessionId, SessionRow } from "../session.js";
import { memoryFlushOf } from "../store/memory-flush.js";
import type { InboxRow, RouteRow, TurnFailure } from "../store/queues.js";
import { withSignal } from "../timeout.js";
import type { Context } from "./context.js";
import type { Lanes } from "./lanes.js";

const MAX_MS = 60_000;
const INSTRUCTION = `This conversation is about to be closed. If it holds something about the person or the work that will
matter later and isn't in your memory yet, save it now with the memory tool, briefly. Otherwise do nothing. Your
answer is not shown to anyone.`;

/**
 * Lets the agent save memories after a session was reset automatically. The store queues the task in the
 * transaction that ends the session. It uses the usual retries and lanes, but has no route, gets no reply
 * and adds no messages.
 */
export class MemoryFlushes {
  readonly #context: Context;
  readonly #lanes: Lanes;
  /** For a process that doesn't queue tasks. */
  readonly #running = new Set<Promise<void>>();

  constructor(context: Context, lanes: Lanes) {
    this.#context = context;
    this.#lanes = lanes;
  }

  /** A task from the inbox. */
  add(row: InboxRow, sessionId: SessionId): void {
    this.#lanes.push({ row, command: (signal) => this.#run(row, sessionId, signal) });
  }

  /** Runs immediately, without a task: a process that serves one account leaves no work to others. */
  runNow(route: RouteRow): void {
    const { log } = this.#context;
    const { sessionId, platform, userId } = memoryFlushOf(route);
    const running = this.#saveIn(sessionId, { platform, userId })
      .catch(messageOf)
      .then((reason) => {
        if (reason !== undefined) log.warn({ sessionId, reason }, "memories were not saved");
        this.#running.delete(running);
      });
    this.#running.add(running);
  }

  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #run(row: InboxRow, sessionId: SessionId, signal: AbortSignal): Promise<void> {
    const { store, bootId } = this.#context;
    const turnId = orderedId();
    const attempt = await store.startMessage({ inboxId: row.id, bootId, turnId, sessionId });
    if (attempt === undefined) return;
    const { platform, userId } = row.message.task?.principal ?? {
      platform: row.message.platform,
      userId: "",
    };
    const reason = await this.#saveIn(sessionId, { platform, userId }, signal).catch(messageOf);
    if (reason !== undefined) return this.#failed(row, turnId, attempt, reason);
    await store.settleMessage({ inboxId: row.id, state: "done", reason: "memory", replies: [] });
  }

  async #failed(row: InboxRow, turnId: string, attempt: number, error: string): Promise<void> {
    const { store, log, stopping } = this.#context;
    const { id, sessionKey, traceId } = row;
    if (!stopping.aborted) log.warn({ traceId, attempt, reason: error }, "memories were not saved");
    const next = stopping.aborted ? RELEASED : nextOf(attempt);
    await store.failTurn({ turnId, sessionKey, inboxIds: [id], error, next, replies: [] });
  }

  /** Does nothing if the session was deleted. */
  async #saveIn(id: SessionId, principal: Person, stopped?: AbortSignal): Promise<string | undefined> {
    const session = await this.#context.store.getSession(id);
    return session && this.#save(session, principal, stopped);
  }

  /** Undefined if the agent ran, otherwise why it didn't. */
  async #save(session: SessionRow, principal: Person, stopped?: AbortSignal): Promise<string | undefined> {
    const { store, agent, tools, stopping } = this.#context;
    // An agent with its own tools doesn't have our memory tool.
    if (session.message_count === 0 || agent.name === "echo" || agent.keepsState) return undefined;
    const own = { id: session.id, key: `memory:${session.id}`, source: session.source };
    const offered = await tools.offered({ principal, room: undefined, platform: session.source });
    const call = {
      ...{ principal, session: own, target: nowhere(principal), room: undefined },
      ...{ shared: session.user_id === null, unattended: true, ask: async () => undefined },
      idempotencyKey: own.key,
    };
    const memory = offered.flatMap(({ tool, ask }) =>
      tool.name === "memory" && ask === "never" ? [tool] : [],
    );
    const request = {
      session: own,
      principal,
      systemPrompt: session.system_prompt ?? "",
      history: await store.getConversation(session.id),
      input: [{ role: "user", content: INSTRUCTION }],
      tools: memory.map((tool) => ({
        ...tool,
        run: (args: Record<string, unknown>, signal: AbortSignal) => tool.run(args, { ...call, signal }),
      })),
      takeSteering: () => [],
    };
    const signals = stopped ? [stopping, stopped] : [stopping];
    return withSignal({ signals, ms: MAX_MS }, async (signal) => {
      for await (const event of agent.run(request, signal))
        if (event.type === "failed") return event.failure.message;
      return undefined;
    });
  }
}

/** Reads the answer without sending it. */
function nowhere({ platform }: Person): Target {
  const none = { chatId: null, threadId: null, userId: null, replyTo: null };
  return { platform, account: "", chatType: "dm", ...none };
}

const RELEASED: TurnFailure["next"] = { state: "waiting", waitSeconds: 0, uncounted: true };

function nextOf(attempt: number): TurnFailure["next"] {
  if (attemptsExhausted(attempt)) return { state: "dead" };
  return { state: "waiting", waitSeconds: nextAttempt({ attempts: attempt, random: Math.random }) / 1000 };
}

function messageOf(error: unknown): string {
  return describeError(error).message;
}
