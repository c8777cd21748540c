import type { AgentEvent, Failure, TurnMessage, TurnRequest, TurnUsage } from "../agents/backend.js";
import { MEDIA_FOLDERS } from "../config/paths.js";
import type { TurnEnd } from "../events.js";
import { killPoint } from "../kill-point.js";
import { isPicture, readImages } from "../media/images.js";
import { hideTags } from "../media/tags.js";
import { audienceOf } from "../message.js";
import type { ChatMessage, SessionKey } from "../session.js";
import type { InboxRow } from "../store/queues.js";
import { readCalls } from "../tool-calls.js";
import type { After } from "./after.js";
import type { Context } from "./context.js";
import type { Ending, Finisher } from "./finish.js";
import { Journal } from "./journal.js";
import type { RunningTurn, SuspendedRows } from "./lane.js";
import { limitAnswer } from "./limit-answer.js";
import type { Previews } from "./previews.js";
import { Refresh } from "./refresh.js";
import type { Resolver } from "./resolve.js";
import { ToolRunner } from "./tool-runner.js";
import { Turn } from "./turn.js";
import { toUserMessage, withImages } from "./turn-input.js";

/** What the agent gave, complete or not. */
export interface AgentResult {
  text: string;
  messages: TurnMessage[];
  usages: TurnUsage[];
  failure: Failure | undefined;
  /** Of the last model request. */
  usage?: TurnUsage;
}

export interface TurnStages {
  resolver: Resolver;
  finisher: Finisher;
  previews: Previews;
  after: After;
  /** Something failed and may wait in the inbox again. */
  retrySoon(): void;
  track(work: Promise<void>, row: InboxRow): void;
}

const TYPING_EVERY_MS = 4000;
/** Endings without a reply. */
const SILENT: ReadonlySet<TurnEnd["outcome"]> = new Set(["stopped", "interrupted", "silent"]);

/** Rows → session → the agent's events → one transaction. If anything fails before it, the rows are still in the inbox. */
export class Turns {
  readonly #context: Context;
  readonly #stages: TurnStages;

  constructor(context: Context, stages: TurnStages) {
    this.#context = context;
    this.#stages = stages;
  }

  /** Resolves with its rows if the turn is suspended. */
  async run(
    key: SessionKey,
    rows: readonly InboxRow[],
    running: RunningTurn,
  ): Promise<SuspendedRows | undefined> {
    const { finisher } = this.#stages;
    const turn = new Turn(this.#context, key, rows, running);
    let ending: Ending | undefined;
    try {
      if (await this.#start(turn)) ending = await this.#converse(turn);
    } catch (error) {
      ending = await finisher.giveBack(turn, error);
      if (!turn.hasStarted) {
        this.#ended(turn, ending);
        throw error;
      }
    }
    if (ending) this.#ended(turn, ending);
    this.#context.routesChanged();
    return ending?.outcome === "suspended" ? turn.suspended : undefined;
  }

  /** False: its messages were cancelled while they waited. */
  async #start(turn: Turn): Promise<boolean> {
    const { events, messagesChanged } = this.#context;
    const { first } = turn;
    const started = await this.#stages.resolver.start(turn);
    if (!started) return false;
    turn.begin(started);
    for (const id of started.withdrawnFrom) messagesChanged(id);
    killPoint("turn-started");
    await this.#equip(turn);
    const { attempt } = started;
    const waitedSeconds = turn.startedAt - first.receivedAt;
    events.emit({ type: "turn-started", ...turn.about, attempt, waitedSeconds });
    return true;
  }

  /** Its tools and its journal. The tools stay the same until it ends, also if their configuration changes. */
  async #equip(turn: Turn): Promise<void> {
    const { store, bootId, tools } = this.#context;
    const { id: turnId, principal, session, started, first } = turn;
    const { message } = first;
    const room = audienceOf(message);
    const offered = await tools.offered({ principal, room, platform: message.platform });
    const asks = offered.some(({ ask }) => ask !== "never");
    const runner = new ToolRunner(
      this.#context,
      turn,
      offered,
      asks ? await store.grants(principal, session.id) : [],
    );
    const caller = {
      ...turn.authorOf(first),
      ...{ sessionKey: turn.key, sessionId: session.id, chatId: message.origin.chatId },
    };
    turn.journal = new Journal(
      {
        ...{ store, turnId, bootId, caller, clientTools: message.request?.tools ?? [] },
        startsAtOnce: (tool) => runner.startsAtOnce(tool),
      },
      started.steps,
    );
    turn.tools = [...runner.tools, ...runner.missing(turn.journal.interrupted)];
    runner.remember(turn.journal.messages);
  }

  #ended(turn: Turn, ending: Ending): void {
    const { previews, retrySoon, track } = this.#stages;
    const end = { failure: null, answer: "", ...ending, startedAt: turn.startedAt };
    this.#context.events.emit({ type: "turn-ended", ...turn.about, ...end });
    if (end.outcome !== "answered" && end.outcome !== "suspended")
      track(previews.drop(turn, SILENT.has(end.outcome)), turn.first);
    if (end.failure) retrySoon();
  }

  /** If the history is too long for the model, a shorter one is tried once. */
  async #converse(turn: Turn): Promise<Ending> {
    const { finisher, after } = this.#stages;
    const { store } = this.#context;
    const result = await this.#ask(turn);
    if (result.failure?.kind !== "context_length") return finisher.conclude(turn, result);
    const shortened = await after.prepare(turn.session.id, { reason: "context_length" });
    if (!shortened) return finisher.conclude(turn, result);
    const { running, key, epoch, session } = turn;
    // What was recorded is part of the journal; the rest is offered again.
    const recorded = new Set(turn.journal.taken);
    running.steering.unshift(...running.taken.filter(({ id }) => !recorded.has(id)));
    running.taken = running.taken.filter(({ id }) => recorded.has(id));
    const second = await this.#ask(turn, shortened.messages);
    // Only a history that the model accepts is worth a child session.
    if (second.failure) return finisher.conclude(turn, second);
    const split = await after.commit({ key, epoch, sessionId: session.id }, shortened);
    const route = split && (await store.getRoute(key));
    if (split && route?.sessionId === split.child.id) turn.moveTo(split.child, route);
    return finisher.conclude(turn, second);
  }

  async #ask(turn: Turn, shortened?: readonly ChatMessage[]): Promise<AgentResult> {
    const { agent, config } = this.#context;
    const { previews } = this.#stages;
    const { running } = turn;
    const request = await this.#requestOf(turn, shortened);
    const { messages, usages } = turn.journal;
    const text = messages.map(({ role, content }) => (role === "assistant" ? (content ?? "") : "")).join("");
    const result: AgentResult = { text, messages, usages, failure: undefined };
    running.said = "";
    const watch = watchdog(config.agent.gateway_timeout * 1000, running.controller);
    const typing = setInterval(() => previews.typing(turn), TYPING_EVERY_MS);
    previews.typing(turn);
    const shown = new Refresh(() => previews.update(turn, result.text));
    try {
      for await (const event of limitAnswer(agent.run(request, running.controller.signal))) {
        watch.restart();
        await this.#take(turn, event, result);
        if (event.type === "text") shown.grownTo(result.text.length);
      }
    } finally {
      shown.end();
      running.said = hideTags(result.text);
      clearInterval(typing);
      watch.stop();
      await previews.end(turn);
    }
    return result;
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

  /** Resolves when the event is recorded: the agent goes on only then. */
  async #take(turn: Turn, event: AgentEvent, result: AgentResult): Promise<void> {
    const { events } = this.#context;
    const { about, journal, running } = turn;
    if (event.type === "text") result.text += event.delta;
    if (event.type === "failed") result.failure = event.failure;
    if (event.type === "usage") {
      result.usages.push(event.usage);
      result.usage = event.usage;
      events.emit({ type: "turn-usage", ...about, usage: event.usage });
    }
    if (event.type !== "message") return;
    const { message } = event;
    const taken = message.role === "user" ? running.taken[journal.taken.length] : undefined;
    await journal.message(message, message.role === "assistant" ? result.usage : undefined, taken);
    result.messages.push(message);
    if (!message.tool_calls?.length) return;
    const names = readCalls(message).map(({ name }) => name);
    const step = result.messages.filter((message) => message.tool_calls?.length).length;
    events.emit({ type: "turn-step", ...about, step, tools: names });
  }
}

/** A new session starts with the history that its client sent along. */
export function earlierHistory({ session, first }: Turn): readonly ChatMessage[] {
  return session.message_count === 0 ? (first.message.request?.history ?? []) : [];
}

function takeSteering(running: RunningTurn): InboxRow[] {
  const rows = running.steering.splice(0);
  running.taken.push(...rows);
  return rows;
}

/** setTimeout fires at once with a longer delay. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Ends a turn that has gone silent. */
function watchdog(idleMs: number, controller: AbortController): { restart(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const restart = () => {
    clearTimeout(timer);
    if (idleMs > 0) timer = setTimeout(() => controller.abort("timeout"), Math.min(idleMs, MAX_TIMER_MS));
  };
  restart();
  return { restart, stop: () => clearTimeout(timer) };
}
