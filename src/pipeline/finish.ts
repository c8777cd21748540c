import type { Failure, TurnMessage, TurnUsage } from "../agents/backend.js";
import { nowSeconds } from "../clock.js";
import type { TurnEnd } from "../events.js";
import { killPoint } from "../kill-point.js";
import { takeFiles } from "../media/outgoing.js";
import { resetPolicyFor } from "../policies/reset.js";
import { attemptsExhausted, nextAttempt } from "../policies/retry.js";
import type { EndReason, NewMessage } from "../session.js";
import { resetNotice } from "../sessions/reset-notice.js";
import type { Author, NewReply, RouteRow, TurnFailure, Unanswered } from "../store/queues.js";
import { openCalls } from "../tool-calls.js";
import type { After } from "./after.js";
import type { Context } from "./context.js";
import type { Delivery } from "./deliver.js";
import { outgoingRules } from "./outgoing.js";
import {
  answerReplies,
  failureReplies,
  lastAnswer,
  reply,
  saysNothing,
  type TakeFiles,
  tookTooLong,
} from "./replies.js";
import { type AgentResult, earlierHistory } from "./run.js";
import type { Turn } from "./turn.js";
import { plainWords } from "./turn-input.js";
import { unansweredMessages } from "./unanswered.js";
import { totalUsage } from "./usage.js";

/** How a turn ended. */
export type Ending = Pick<TurnEnd, "outcome"> & Partial<TurnEnd>;

const OVERTAKEN: Ending = { outcome: "overtaken", failure: { kind: "overtaken", message: "overtaken" } };
const GIVEN_UP =
  "Something went wrong on my side and your message was not answered. Please send it again later.";
/** The same for tasks; the log and `hermes trace` have the details. */
const INTERNAL_FAULT = "an internal error occurred. The operator can find it in the log.";

export interface FinisherStages {
  after: After;
  delivery: Delivery;
  /** A question was stored. */
  asked(questionId: string): Promise<void>;
}

/** The agent's result → one transaction with messages, counters, replies and finished rows, or the rows' failure. */
export class Finisher {
  readonly #context: Context;
  readonly #after: After;
  readonly #delivery: Delivery;
  readonly #takeFiles: TakeFiles;
  readonly #asked: (questionId: string) => Promise<void>;

  constructor(context: Context, { after, delivery, asked }: FinisherStages) {
    this.#asked = asked;
    this.#context = context;
    this.#after = after;
    this.#delivery = delivery;
    this.#takeFiles = (wanted, target) => takeFiles(wanted, outgoingRules(context, target));
  }

  async conclude(turn: Turn, result: AgentResult): Promise<Ending> {
    if (!result.failure) return this.#finish(turn, result);
    const { config } = this.#context;
    const { agent } = turn;
    const reason = turn.running.controller.signal.reason as string | undefined;
    const wasStopped = result.failure.kind === "stopped";
    if (wasStopped && reason === "suspended") return this.#suspend(turn);
    const keeps = reason === "interrupted" || (reason === "stopped" && isKept(turn, result));
    if (wasStopped && keeps)
      return this.#finish(turn, withPartialAnswer(withoutOpenCalls(turn, result), reason), reason);
    if (wasStopped && reason === "shutdown") return this.#release(turn, "the gateway stopped");
    const isLate = wasStopped && reason === "timeout";
    const late = isLate ? tookTooLong(turn, config.agent.gateway_timeout) : result.failure;
    const failure: Failure = wasStopped && turn.limit ? { kind: "limit", ...turn.limit } : late;
    const stopped = wasStopped && reason === "stopped";
    await this.#fail(turn, {
      error: failure.message,
      next: { state: stopped ? "cancelled" : "dead" },
      replies: stopped && !turn.isRequest ? [] : failureReplies(turn, agent.model, failure),
      unanswered: unansweredOf(
        turn,
        stopped && !turn.adapter?.showsSession ? undefined : failure.kind,
        result,
      ),
      end: turn.end,
    });
    const { kind, message } = failure;
    return { outcome: stopped ? "stopped" : "failed", failure: { kind, message }, answer: result.text };
  }

  /** After an internal error: the message waits for another attempt; after the last one its chat gets a notice. */
  async giveBack(turn: Turn, error: unknown): Promise<Ending> {
    const message = error instanceof Error ? error.message : String(error);
    const failure = { kind: "internal", message };
    // Nothing was started, so its rows are still waiting.
    if (!turn.hasStarted) return { outcome: "retrying", failure };
    // A turn that made progress starts with a fresh attempt count.
    const attempt = turn.journal?.hasProgress ? 1 : turn.started.attempt;
    const delayMs = nextAttempt({ attempts: attempt, random: Math.random });
    const notice = turn.last.message.task ? INTERNAL_FAULT : GIVEN_UP;
    if (!attemptsExhausted(attempt)) {
      await this.#fail(turn, { error: message, next: { state: "waiting", waitSeconds: delayMs / 1000 } });
      turn.waitMs = delayMs;
      return { outcome: "retrying", failure };
    }
    await this.#fail(turn, {
      error: message,
      next: { state: "dead" },
      replies: failureReplies(turn, turn.agent.model, { ...failure, notice }),
      unanswered: unansweredOf(turn, "other"),
      end: turn.end,
    });
    return { outcome: "failed", failure };
  }

  /** Its messages wait until the question is decided. */
  async #suspend(turn: Turn): Promise<Ending> {
    const { store } = this.#context;
    const { suspension, id: turnId, running } = turn;
    if (!suspension || !(await store.askQuestion(suspension, { turnId, said: running.said })))
      return this.#overtaken(turn);
    killPoint("question-asked");
    turn.waitMs = suspension.timeoutSeconds * 1000;
    await this.#asked(suspension.id);
    this.#delivery.wake();
    return { outcome: "suspended" };
  }

  /** `cut`: the answer is incomplete, and isn't sent. */
  async #finish(turn: Turn, result: AgentResult, cut?: "interrupted" | "stopped"): Promise<Ending> {
    const { store } = this.#context;
    const { running } = turn;
    const { session, route, epoch, notes } = turn.started;
    const rows = [...turn.rows, ...running.taken];
    const added = addedBy(turn, result);
    const messages = stamped(added.map(({ message }) => message));
    const answer = lastAnswer(result);
    const silent = saysNothing(answer, turn);
    const lastPromptTokens = promptTokens(result.usages.at(-1));
    const replies = await this.#repliesTo(turn, result, !cut && !silent ? answer : undefined);
    killPoint("turn-answered");
    const claimed = await store.finishTurn({
      turnId: turn.id,
      sessionKey: turn.key,
      sessionId: session.id,
      epoch,
      inboxIds: rows.map((row) => row.id),
      messages,
      authors: added.map(({ author }) => author),
      usage: totalUsage(result.usages),
      participants: rows.map((row) => turn.personOf(row)),
      replies,
      said: running.said,
      notes,
      lastPromptTokens,
      end: turn.end,
      claim: this.#delivery.claim(turn.adapter),
    });
    killPoint("turn-committed");
    if (!claimed) return { ...(await this.#overtaken(turn)), answer };
    running.isOver = true;
    this.#delivery.take(claimed);
    this.#context.messagesCommitted(session, messages);
    const asked = rows.map(plainWords).join("\n");
    const tokens = lastPromptTokens ?? route.lastPromptTokens;
    if (!turn.end) this.#after.start(turn, { asked, answer, added: messages.length, promptTokens: tokens });
    if (cut) return { outcome: cut, answer };
    return { outcome: silent ? "silent" : "answered", answer };
  }

  /** A notice about a reset goes before the answer. */
  async #repliesTo(turn: Turn, result: AgentResult, answer: string | undefined): Promise<NewReply[]> {
    const notice = this.#noticeFor(turn.started.route);
    const { model } = turn.agent;
    const answers = await answerReplies(turn, model, result, answer, this.#takeFiles);
    return notice ? [reply(turn, notice, "notice"), ...answers] : answers;
  }

  #noticeFor(route: RouteRow): string | undefined {
    if (!route.wasAutoReset) return undefined;
    const { config, reset } = this.#context;
    const { platform, chatType } = route.origin;
    const { atHour, idleMinutes } = resetPolicyFor(route.origin, reset);
    const { notify, notify_exclude_platforms: excludedPlatforms } =
      config.reset_by_platform[platform] ?? config.reset_by_type[chatType] ?? config.session_reset;
    return resetNotice(route, { notify, excludedPlatforms, atHour, idleMinutes });
  }

  /** The chat has moved to another session: asks the message again there, unless it was stopped. */
  async #overtaken(turn: Turn): Promise<Ending> {
    if (!turn.running.controller.signal.aborted) {
      await this.#release(turn, "overtaken");
      return OVERTAKEN;
    }
    const failure: Failure = { kind: "stopped", message: "stopped", notice: "Stopped." };
    const replies = turn.isRequest ? failureReplies(turn, turn.agent.model, failure) : [];
    await this.#fail(turn, { error: failure.message, next: { state: "cancelled" }, replies });
    return OVERTAKEN;
  }

  /** Puts the message back into the inbox without counting the attempt. */
  async #release(turn: Turn, error: string): Promise<Ending> {
    await this.#fail(turn, { error, next: { state: "waiting", waitSeconds: 0, uncounted: true } });
    return { outcome: "released", failure: { kind: "released", message: error } };
  }

  async #fail(turn: Turn, { error, next, replies = [], unanswered, end }: TurnFault): Promise<void> {
    const { store, messagesCommitted } = this.#context;
    const { id: turnId, key: sessionKey, inboxIds, running } = turn;
    const failed = await store.failTurn({
      ...{ turnId, sessionKey, inboxIds, error, next, replies, said: running.said, unanswered, end },
    });
    if (replies.length > 0) this.#delivery.wake();
    if (!failed?.kept || !unanswered) return;
    const messages = unanswered.questions.flatMap((question) => question.messages);
    messagesCommitted(turn.session, messages);
  }
}

interface TurnFault extends Pick<TurnFailure, "error" | "next"> {
  replies?: readonly NewReply[];
  unanswered?: Unanswered | undefined;
  end?: EndReason | undefined;
}

/**
 * What stays in the session after a turn without an answer. Programs and schedules keep their own questions,
 * and stopped questions are dropped, but what a turn did always stays.
 */
function unansweredOf(
  turn: Turn,
  kind: Failure["kind"] | undefined,
  result?: AgentResult,
): Unanswered | undefined {
  const done = turn.journal?.messages.length ? stepsOf(turn, result) : undefined;
  const isTheirs = turn.rows.some(({ message }) => message.request || message.task);
  if (!done && (isTheirs || kind === undefined)) return undefined;
  return {
    sessionId: turn.session.id,
    epoch: turn.epoch,
    questions: turn.askedWithoutNotes.map(({ row, messages, author }) => ({
      inboxId: row.id,
      messages: stamped(unansweredMessages(messages, kind ?? "stopped")),
      author,
    })),
    participants: turn.rows.map((row) => turn.personOf(row)),
    steps: done,
  };
}

/** Adds a result to every call: models reject a history with a missing one. */
function stepsOf(
  turn: Turn,
  result: Pick<AgentResult, "messages" | "usages"> | undefined,
): NonNullable<Unanswered["steps"]> {
  const { journal } = turn;
  const all = result ?? { messages: journal.messages, usages: journal.usages };
  const { messages, usages } = withoutOpenCalls(turn, all);
  return { messages: stamped(messages as NewMessage[]), usage: totalUsage(usages) };
}

function withoutOpenCalls<T extends Pick<AgentResult, "messages">>({ journal }: Turn, result: T): T {
  const ends = openCalls(result.messages).map((call): TurnMessage => {
    const hasStarted = journal.call(call.id)?.state === "running";
    const content = hasStarted ? CUT_OFF : NOT_RUN;
    return { role: "tool", content, tool_call_id: call.id, tool_name: call.name };
  });
  return ends.length === 0 ? result : { ...result, messages: [...result.messages, ...ends] };
}

const CUT_OFF = "[The turn ended during this call. Its outcome is unknown.]";
const NOT_RUN = "[Not run: the turn ended before.]";

/** Text written before the interruption stays in the conversation, but isn't sent. */
function withPartialAnswer(result: AgentResult, reason: "interrupted" | "stopped"): AgentResult {
  const content = unfinished(result);
  if (content === "") return result;
  const partial = { role: "assistant", content, finish_reason: reason };
  return { ...result, messages: [...result.messages, partial] };
}

/** Text since the last complete message. */
function unfinished({ text, messages }: AgentResult): string {
  const complete = messages
    .map(({ role, content }) => (role === "assistant" ? (content ?? "") : ""))
    .join("");
  return text.startsWith(complete) ? text.slice(complete.length) : text;
}

/** Keeps a stopped partial answer where people see the session. */
function isKept({ adapter, isRequest }: Turn, result: AgentResult): boolean {
  return adapter?.showsSession === true && !isRequest && unfinished(result).trim() !== "";
}

interface Added {
  message: NewMessage;
  author: Author | null;
}

/** All messages of the turn with their authors. Messages added during the turn are among the agent's. */
function addedBy(turn: Turn, result: AgentResult): Added[] {
  const earlier = earlierHistory(turn).map((message) => ({ message: message as NewMessage, author: null }));
  const asked = turn.asked.flatMap(({ messages, author }) =>
    messages.map((message) => ({ message, author })),
  );
  const steered = turn.running.taken.values();
  const answered = result.messages.map((message) => {
    const row = message.role === "user" ? steered.next().value : undefined;
    return { message: message as NewMessage, author: row ? turn.authorOf(row) : null };
  });
  return [...earlier, ...asked, ...answered];
}

const MICROSECOND = 1e-6;

/** Set here, so that the database and the transcript have the same times. */
function stamped(messages: readonly NewMessage[]): NewMessage[] {
  const now = nowSeconds();
  return messages.map((message, i) => ({ timestamp: now + i * MICROSECOND, ...message }));
}

/** The whole prompt, cached or not. */
function promptTokens(usage: TurnUsage | undefined): number | undefined {
  return usage && usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}
