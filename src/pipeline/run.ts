import type { AgentEvent, Failure, Tool, TurnMessage, TurnRequest, TurnUsage } from "../agents/backend.js";
import { nowSeconds } from "../clock.js";
import { MEDIA_FOLDERS } from "../config/paths.js";
import type { TurnEnd } from "../events.js";
import { killPoint } from "../kill-point.js";
import { isPicture, readImages } from "../media/images.js";
import { hideTags } from "../media/tags.js";
import { audienceOf } from "../message.js";
import type { ChatMessage, SessionKey } from "../session.js";
import type { InboxRow } from "../store/queues.js";
import type { ToolTurn } from "../tools/offer.js";
import type { After } from "./after.js";
import type { Context } from "./context.js";
import type { Ending, Finisher } from "./finish.js";
import type { RunningTurn } from "./lanes.js";
import { limitAnswer } from "./limit-answer.js";
import type { Previews } from "./previews.js";
import { Refresh } from "./refresh.js";
import type { Resolver } from "./resolve.js";
import { Turn } from "./turn.js";
import { toUserMessage, withImages } from "./turn-input.js";

/** What the agent gave, complete or not. */
export interface AgentResult {
  text: string;
  messages: TurnMessage[];
  usages: TurnUsage[];
  failure: Failure | undefined;
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

  async run(key: SessionKey, rows: readonly InboxRow[], running: RunningTurn): Promise<void> {
    const { finisher } = this.#stages;
    const turn = new Turn(this.#context, key, rows, running);
    try {
      if (await this.#start(turn)) this.#ended(turn, await this.#converse(turn));
    } catch (error) {
      this.#ended(turn, await finisher.giveBack(turn, error));
      if (!turn.hasStarted) throw error;
    }
    this.#context.routesChanged();
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
    const { attempt } = started;
    const waitedSeconds = turn.startedAt - first.receivedAt;
    events.emit({ type: "turn-started", ...turn.about, attempt, waitedSeconds });
    return true;
  }

  #ended(turn: Turn, ending: Ending): void {
    const { previews, retrySoon, track } = this.#stages;
    const end = { failure: null, answer: "", ...ending, startedAt: turn.startedAt };
    this.#context.events.emit({ type: "turn-ended", ...turn.about, ...end });
    if (end.outcome !== "answered") track(previews.drop(turn, SILENT.has(end.outcome)), turn.first);
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
    running.steering.unshift(...running.taken.splice(0));
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
    const result: AgentResult = { text: "", messages: [], usages: [], failure: undefined };
    running.said = "";
    const watch = watchdog(config.agent.gateway_timeout * 1000, running.controller);
    const typing = setInterval(() => previews.typing(turn), TYPING_EVERY_MS);
    previews.typing(turn);
    const shown = new Refresh(() => previews.update(turn, result.text));
    try {
      for await (const event of limitAnswer(agent.run(request, running.controller.signal))) {
        watch.restart();
        this.#take(turn, event, result);
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
    const { store, tools } = this.#context;
    const { session, key, principal, first, running, shared, model } = turn;
    const { request } = first.message;
    const place = { id: session.id, key, source: session.source };
    const offered = await tools(toolTurnOf(turn, place));
    turn.tools = offered.map((tool) => this.#watched(tool, turn));
    return {
      session: place,
      principal,
      systemPrompt: [session.system_prompt, request?.instructions].filter(Boolean).join("\n\n"),
      history: shortened ?? [
        ...(await (turn.conversation ?? store.getConversation(session.id))),
        ...earlierHistory(turn),
      ],
      input: await this.#inputOf(turn),
      tools: turn.tools,
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

  #take({ about }: Turn, event: AgentEvent, result: AgentResult): void {
    const { events } = this.#context;
    if (event.type === "text") result.text += event.delta;
    if (event.type === "failed") result.failure = event.failure;
    if (event.type === "usage") {
      result.usages.push(event.usage);
      events.emit({ type: "turn-usage", ...about, usage: event.usage });
    }
    if (event.type !== "message") return;
    result.messages.push(event.message);
    if (!event.message.tool_calls?.length) return;
    const calls = event.message.tool_calls as { function?: { name?: string } }[];
    const names = calls.flatMap((call) => call.function?.name ?? []);
    const step = result.messages.filter((message) => message.tool_calls?.length).length;
    events.emit({ type: "turn-step", ...about, step, tools: names });
  }

  /** The same tool; its calls are reported as events. */
  #watched(tool: Tool, { about }: Turn): Tool {
    const { events } = this.#context;
    return {
      ...tool,
      run: async (args, signal) => {
        const startedAt = nowSeconds();
        const ended = (ok: boolean) =>
          events.emit({ type: "tool-ended", ...about, tool: tool.name, args, ok, startedAt });
        try {
          const text = await tool.run(args, signal);
          ended(true);
          return text;
        } catch (error) {
          ended(false);
          throw error;
        }
      },
    };
  }
}

function toolTurnOf(turn: Turn, session: ToolTurn["session"]): ToolTurn {
  const { message } = turn.first;
  const { principal, target, shared } = turn;
  return {
    ...{ principal, target, shared, session },
    id: turn.inboxIds.join(","),
    platform: message.platform,
    room: audienceOf(message),
    unattended: message.task !== undefined,
  };
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
