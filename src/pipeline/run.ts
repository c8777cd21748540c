import type { AgentEvent, Failure, TurnMessage, TurnRequest, TurnUsage } from "../agents/backend.js";
import { nowSeconds } from "../clock.js";
import { MEDIA_FOLDERS } from "../config/paths.js";
import type { TurnEnd } from "../events.js";
import { killPoint } from "../kill-point.js";
import { isPicture, readImages } from "../media/images.js";
import { attemptsExhausted } from "../policies/retry.js";
import { costLimit, type LimitReached, type TurnLimits, timeLimit } from "../policies/turn-limits.js";
import type { ChatMessage, SessionKey } from "../session.js";
import type { InboxRow, RecordedSteps } from "../store/queues.js";
import { type Call, readCalls } from "../tool-calls.js";
import type { After } from "./after.js";
import type { AgentQuestions } from "./agent-questions.js";
import type { Context } from "./context.js";
import type { Ending, Finisher } from "./finish.js";
import { Journal } from "./journal.js";
import type { RunningTurn, SuspendedRows } from "./lane.js";
import { limitAnswer } from "./limit-answer.js";
import { abandoned, emitStep, ownConversation } from "./own-agent.js";
import type { Previews } from "./previews.js";
import { AFTER, type Reactions } from "./reactions.js";
import { Refresh } from "./refresh.js";
import type { Resolver } from "./resolve.js";
import { ToolRunner } from "./tool-runner.js";
import { Turn } from "./turn.js";
import { toUserMessage, withImages } from "./turn-input.js";
import { timerMs, type Watchdog, watchdog } from "./watchdog.js";

/** The agent's output, complete or not. */
export interface AgentResult {
  text: string;
  messages: TurnMessage[];
  usages: TurnUsage[];
  failure: Failure | undefined;
  /** When the running model request began. */
  askedAt: number;
  /** Of the last model request. */
  usage?: TurnUsage;
}

export interface TurnStages {
  resolver: Resolver;
  finisher: Finisher;
  previews: Previews;
  reactions: Reactions;
  after: After;
  questions: Pick<AgentQuestions, "ask" | "withdraw">;
  /** A failure after which the messages may go back to the inbox. */
  retrySoon(): void;
  track(work: Promise<void>, row: InboxRow): void;
}

const TYPING_EVERY_MS = 4000;
/** Endings without a reply. */
const SILENT: ReadonlySet<TurnEnd["outcome"]> = new Set(["stopped", "interrupted", "silent"]);

/** Rows → session → the agent's events → one transaction. If anything fails before the transaction, the rows are still in the inbox. */
export class Turns {
  readonly #context: Context;
  readonly #stages: TurnStages;

  constructor(context: Context, stages: TurnStages) {
    this.#context = context;
    this.#stages = stages;
  }

  /** Resolves with the turn's rows if it continues later. */
  async run(
    key: SessionKey,
    rows: readonly InboxRow[],
    running: RunningTurn,
  ): Promise<SuspendedRows | undefined> {
    const { finisher } = this.#stages;
    const turn = new Turn(this.#context, key, rows, running);
    let ending: Ending | undefined;
    try {
      if (await this.#start(turn)) ending = await this.#goOn(turn);
    } catch (error) {
      ending = await finisher.giveBack(turn, error);
      if (!turn.hasStarted) {
        this.#ended(turn, ending);
        throw error;
      }
    }
    if (ending) this.#ended(turn, ending);
    this.#context.routesChanged();
    return turn.suspended;
  }

  /** False if its messages were cancelled while they waited. */
  async #start(turn: Turn): Promise<boolean> {
    const { events, messagesChanged } = this.#context;
    const { first } = turn;
    const started = await this.#stages.resolver.start(turn);
    if (!started) return false;
    turn.begin(started);
    this.#stages.after.turnStarted(turn.key);
    for (const id of started.withdrawnFrom) messagesChanged(id);
    killPoint("turn-started");
    await this.#equip(turn);
    const { attempt } = started;
    const waitedSeconds = turn.startedAt - first.receivedAt;
    events.emit({ type: "turn-started", ...turn.about, attempt, waitedSeconds });
    this.#stages.reactions.show(turn, "working");
    return true;
  }

  /** Loads the turn's tools and journal. The tools stay the same until it ends, even if the configuration changes. */
  async #equip(turn: Turn): Promise<void> {
    const { store, bootId, tools } = this.#context;
    const { id: turnId, principal, room, session, started, first } = turn;
    const { message } = first;
    // An agent that keeps its own conversation has its own tools.
    const offered = turn.agent.keepsState
      ? []
      : await tools.offered({ principal, room, platform: message.platform }, calledTools(started.steps));
    const asks = offered.some(({ ask }) => ask !== "never");
    const runner = new ToolRunner(
      this.#context,
      turn,
      offered,
      asks ? await store.grants({ person: principal, sessionId: session.id }) : [],
    );
    const caller = {
      ...turn.authorOf(first),
      ...{ sessionKey: turn.key, sessionId: session.id, chatId: message.origin.chatId },
    };
    turn.journal = new Journal(
      {
        ...{ store, turnId, bootId, caller, clientTools: message.request?.tools ?? [] },
        startsAtOnce: (tool) => !turn.limit && runner.startsAtOnce(tool),
      },
      started.steps,
    );
    turn.tools = [...runner.tools, ...runner.missing(turn.journal.interrupted)];
    if (started.steps) runner.remember(turn.journal.messages);
  }

  #ended(turn: Turn, ending: Ending): void {
    const { previews, reactions, retrySoon, track } = this.#stages;
    const end = { failure: null, answer: "", ...ending, startedAt: turn.startedAt };
    this.#context.events.emit({ type: "turn-ended", ...turn.about, ...end, model: turn.model ?? null });
    reactions.show(turn, AFTER[end.outcome]);
    if (end.outcome !== "answered" && end.outcome !== "suspended")
      track(previews.drop(turn, SILENT.has(end.outcome)), turn.first);
    if (end.failure) retrySoon();
  }

  /** Crashes are only counted at the next start. After the last attempt the turn ends here, and what it did is kept. */
  async #goOn(turn: Turn): Promise<Ending> {
    if (turn.started.steps && attemptsExhausted(turn.started.attempt - 1))
      return this.#stages.finisher.giveBack(turn, new Error("the gateway crashed during the turn"));
    return this.#converse(turn);
  }

  /** If the history is too long for the model, compresses it and retries once. */
  async #converse(turn: Turn): Promise<Ending> {
    const { finisher, after, questions } = this.#stages;
    const { store } = this.#context;
    const { sent } = turn.journal;
    if (sent) {
      await questions.withdraw(turn);
      if (!turn.returnTo(sent.agent)) return finisher.conclude(turn, abandoned(sent.agent));
    }
    const result = await this.#ask(turn);
    if (result.failure?.kind !== "context_length") return finisher.conclude(turn, result);
    const shortened = await after.prepare(turn.session.id, { reason: "context_length" });
    if (!shortened) return finisher.conclude(turn, result);
    const { running, key, epoch, session } = turn;
    // Recorded messages are in the journal; the rest is offered again.
    const recorded = new Set(turn.journal.taken);
    running.steering.unshift(...running.taken.filter(({ id }) => !recorded.has(id)));
    running.taken = running.taken.filter(({ id }) => recorded.has(id));
    const second = await this.#ask(turn, shortened.messages);
    // Create the child session only if the model accepts the history.
    if (second.failure) return finisher.conclude(turn, second);
    const split = await after.commit({ key, epoch, sessionId: session.id }, shortened);
    const route = split && (await store.getRoute(key));
    if (split && route?.sessionId === split.child.id) turn.moveTo(split.child, route);
    return finisher.conclude(turn, second);
  }

  async #ask(turn: Turn, shortened?: readonly ChatMessage[]): Promise<AgentResult> {
    const { config } = this.#context;
    const { previews } = this.#stages;
    const { running, agent } = turn;
    const { messages, usages } = turn.journal;
    const text = messages.map(({ role, content }) => (role === "assistant" ? (content ?? "") : "")).join("");
    const result: AgentResult = { text, messages, usages, failure: undefined, askedAt: nowSeconds() };
    running.said = "";
    const watch = watchdog(config.agent.gateway_timeout, running.controller);
    const request = { ...(await this.#requestOf(turn, shortened)), ...this.#ownOf(turn, watch) };
    const limits = limitsOf(config);
    const enough =
      limits.seconds > 0
        ? setTimeout(() => reach(turn, timeLimit(limits)), timerMs(limits.seconds))
        : undefined;
    const typing = setInterval(() => previews.typing(turn), TYPING_EVERY_MS);
    previews.typing(turn);
    const show = () => previews.update(turn, result.text, progress.text());
    const progress = previews.progress(turn, show);
    const shown = new Refresh(show);
    try {
      for await (const event of limitAnswer(agent.run(request, running.controller.signal))) {
        watch.restart();
        const calls = callsOf(event);
        await this.#take(turn, event, calls, result);
        progress.take(event, calls);
        if (event.type === "text") shown.grownTo(result.text.length);
      }
    } finally {
      shown.end();
      progress.end();
      running.said = previews.shownOf(turn, result.text);
      clearInterval(typing);
      clearTimeout(enough);
      watch.stop();
      await previews.end(turn);
    }
    return result;
  }

  /** For an agent that keeps its own conversation. Time spent waiting for a person doesn't count as silence. */
  #ownOf(turn: Turn, watch: Watchdog): Pick<TurnRequest, "own" | "ask"> {
    if (!turn.agent.keepsState) return {};
    const { questions } = this.#stages;
    return {
      own: ownConversation(this.#context.store, turn),
      ask: (question, signal) => watch.paused(() => questions.ask(turn, question, signal)),
    };
  }

  async #requestOf(turn: Turn, shortened?: readonly ChatMessage[]): Promise<TurnRequest> {
    const { store } = this.#context;
    const { session, key, principal, first, running, shared, model, journal } = turn;
    const { request } = first.message;
    return {
      session: { id: session.id, key, source: session.source },
      principal,
      systemPrompt: [session.system_prompt, request?.instructions].filter(Boolean).join("\n\n"),
      history: shortened ?? [
        ...(await (turn.conversation ?? store.getConversation(session.id))),
        ...earlierHistory(turn),
      ],
      input: await this.#inputOf(turn),
      tools: turn.tools,
      steps: journal.messages,
      ...(request?.tools ? { clientTools: request.tools } : {}),
      ...(request?.toolChoice ? { toolChoice: request.toolChoice } : {}),
      takeSteering: () => takeSteering(running).map((row) => String(toUserMessage(row, shared).content)),
      ...(model === undefined ? {} : { model }),
    };
  }

  async #inputOf(turn: Turn): Promise<ChatMessage[]> {
    const { config, homeDir } = this.#context;
    const { show_images, max_images, max_image_bytes: maxBytes } = config.media;
    const input: ChatMessage[] = [];
    let left = show_images ? max_images : 0;
    for (const { row, messages } of turn.asked) {
      const { attachments } = row.message;
      const place = { home: homeDir, folder: MEDIA_FOLDERS.incoming };
      const images = attachments.some(isPicture)
        ? await readImages(attachments, place, { maxCount: left, maxBytes })
        : { parts: [], omitted: 0 };
      left -= images.parts.length;
      for (const message of messages)
        input.push(message.role === "user" ? withImages(message, images) : (message as ChatMessage));
    }
    return input;
  }

  /** Resolves when the event is recorded; the agent waits for it. */
  async #take(turn: Turn, event: AgentEvent, calls: readonly Call[], result: AgentResult): Promise<void> {
    const { events, config } = this.#context;
    const { about, journal, running } = turn;
    if (event.type === "text") result.text += event.delta;
    if (event.type === "failed") result.failure = event.failure;
    if (event.type === "usage") {
      result.usages.push(event.usage);
      result.usage = event.usage;
      events.emit({ type: "turn-usage", ...about, usage: event.usage, startedAt: result.askedAt });
    }
    if (event.type === "progress") emitStep(events, turn, event);
    if (event.type !== "message") return;
    const { message } = event;
    // An answer that is already paid for is used; only further calls are stopped.
    if (message.tool_calls?.length)
      reach(turn, costLimit([...result.usages, ...turn.spentByHelpers], limitsOf(config)));
    const taken = message.role === "user" ? running.taken[journal.taken.length] : undefined;
    const usage = message.role === "assistant" ? result.usage : undefined;
    await journal.message(message, { calls, usage, taken });
    result.messages.push(message);
    result.askedAt = nowSeconds();
    if (!message.tool_calls?.length) return;
    const step = result.messages.filter((message) => message.tool_calls?.length).length;
    events.emit({ type: "turn-step", ...about, step, tools: calls.map(({ name }) => name) });
  }
}

/** The calls that the agent announces with this event. */
function callsOf(event: AgentEvent): Call[] {
  return event.type === "message" && event.message.tool_calls?.length ? readCalls(event.message) : [];
}

/** Tools that an earlier attempt called. */
function calledTools(steps: RecordedSteps | undefined): string[] {
  return (steps?.calls ?? []).map(({ tool }) => tool);
}

/** A new session starts with the history its client sent. */
export function earlierHistory({ session, first }: Turn): readonly ChatMessage[] {
  return session.message_count === 0 ? (first.message.request?.history ?? []) : [];
}

function takeSteering(running: RunningTurn): InboxRow[] {
  const rows = running.steering.splice(0);
  running.taken.push(...rows);
  return rows;
}

function limitsOf({ agent }: Context["config"]): TurnLimits {
  return { seconds: agent.max_turn_seconds, costUsd: agent.max_turn_cost_usd };
}

/** Ends the turn; what it did stays in its session. */
function reach(turn: Turn, limit: LimitReached | undefined): void {
  if (!limit || turn.running.controller.signal.aborted) return;
  turn.limit = limit;
  turn.running.controller.abort("limit");
}
