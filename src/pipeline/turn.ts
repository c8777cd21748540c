import type { Adapter } from "../adapters/adapter.js";
import type { AgentBackend, Tool } from "../agents/backend.js";
import { nowSeconds } from "../clock.js";
import type { EventUsage } from "../events.js";
import { audienceOf, type Principal, type Room, type Target, targetOf } from "../message.js";
import { orderedId } from "../ordered-id.js";
import { chosenAnswerer } from "../policies/agent-choice.js";
import type { LimitReached } from "../policies/turn-limits.js";
import type { ChatMessage, EndReason, NewMessage, SessionId, SessionKey, SessionRow } from "../session.js";
import type { Author, InboxRow, KeptMessage, NewQuestion, RouteRow, StartedTurn } from "../store/queues.js";
import { principalOf } from "./asker.js";
import type { Context } from "./context.js";
import type { Journal } from "./journal.js";
import type { RunningTurn, SuspendedRows } from "./lane.js";
import type { Preview } from "./preview.js";
import { type TurnFacts, turnFactsOf } from "./turn-facts.js";
import { toMessages } from "./turn-input.js";

/** A message of the turn and its contribution to the conversation. */
export interface Asked {
  row: InboxRow;
  messages: NewMessage[];
  author: Author;
}

/** The question the turn waits for, and for how long. */
export type Suspension = NewQuestion;

/** A session's conversation, read while its turn starts. */
export interface ReadAhead {
  sessionId: SessionId;
  messages: Promise<ChatMessage[]>;
}

/** A turn that started with the commit that accepted its message. */
export interface EarlyStart {
  started: StartedTurn;
  ahead?: ReadAhead | undefined;
  facts?: TurnFacts | undefined;
}

/** One turn and all facts its stages need, each computed once. */
export class Turn {
  readonly id: string;
  readonly key: SessionKey;
  readonly running: RunningTurn;
  readonly startedAt = nowSeconds();
  /** The sender: all messages of a turn are from one person. */
  readonly principal: Principal;
  /** Several people write in this session. */
  readonly shared: boolean;
  readonly tuple: string;
  /** Why the session ends with this turn; undefined if it continues. */
  readonly end: EndReason | undefined;
  /** The model chosen by the chat or the request; undefined for the configured one. */
  model: string | undefined;
  /** The agent that answers. Final once the turn starts. */
  agent: AgentBackend;
  /** Its name in `agents`; empty for the default. */
  agentName = "";
  /** Where the preview and the typing indicator go. */
  target: Target;
  /** The room that reads the answer, as in `TurnFacts`. */
  room: Room | undefined;
  adapter: Adapter | undefined;
  /** Set when the turn starts. */
  tools: readonly Tool[] = [];
  /** What the turn has done so far. Set when it starts. */
  journal!: Journal;
  /** Set while the turn waits for an answer. */
  suspension: Suspension | undefined;
  /** If set, the turn's messages wait in the inbox this long, then it continues. */
  waitMs: number | undefined;
  /** Usage of helpers, which their own sessions count. */
  readonly spentByHelpers: EventUsage[] = [];
  /** Why the turn must stop now, if it must. */
  limit: LimitReached | undefined;
  /** Set while the agent writes. */
  preview: Preview | undefined;
  /** The preview message's id, null if the id is unknown, undefined if there is no preview. */
  shown: string | null | undefined;
  readonly #context: Pick<Context, "config" | "agent" | "agents" | "choices">;
  #rows: readonly InboxRow[];
  #started: StartedTurn | undefined;
  #asked: Asked[] | undefined;
  #about: ReturnType<typeof aboutTurn> | undefined;
  #ahead: ReadAhead | undefined;

  constructor(context: Context, key: SessionKey, rows: readonly InboxRow[], running: RunningTurn) {
    const { message, state, turnId } = rows[0]!;
    // A turn that started with its message already has an id.
    this.id = state === "running" && turnId !== null ? turnId : orderedId();
    const facts = running.early?.facts ?? turnFactsOf(rows[0]!, context);
    const { principal, shared, tuple, target, room, end } = facts;
    this.key = key;
    this.running = running;
    this.principal = principal;
    this.shared = shared;
    this.tuple = tuple;
    this.target = target;
    this.room = room;
    this.end = end;
    this.model = message.request?.model ?? context.choices.get(key).model ?? undefined;
    this.agent = context.agent;
    this.adapter = context.adapterFor(this.target);
    this.#context = context;
    this.#rows = rows;
  }

  /** The rows as stored: they may have been edited or deleted while they waited. */
  begin(started: StartedTurn): void {
    const before = this.first;
    this.#started = started;
    this.shown = started.preview;
    this.#choose(started.route);
    // Messages added during an earlier attempt are part of its steps.
    const added = new Map(
      started.steps?.entries.flatMap(({ inboxId }, i) => (inboxId ? [[inboxId, i]] : [])),
    );
    this.#rows = started.rows.filter(({ id }) => !added.has(id));
    const taken = started.rows.filter(({ id }) => added.has(id));
    this.running.taken.push(...taken.toSorted((a, b) => added.get(a.id)! - added.get(b.id)!));
    this.#about = undefined;
    if (this.first.id === before.id) return;
    this.target = targetOf(this.first.message);
    this.room = audienceOf(this.first.message);
  }

  /** A model that the request or the chat has chosen is set already. */
  #choose(route: RouteRow): void {
    const { agent, agents, choices, config } = this.#context;
    const made = [{ agent: choices.get(this.key).agent }, route];
    const question = { origin: route.origin, principal: this.principal, choices: made };
    const chosen = chosenAnswerer(question, agents, config.channel_overrides);
    this.model ??= chosen.model;
    this.agentName = chosen.agent ?? "";
    this.agent = agents.get(this.agentName)?.backend ?? agent;
  }

  /** Selects the agent that an interrupted attempt sent its prompt to; only that one can continue. False if it no longer exists. */
  returnTo(agentName: string): boolean {
    const { agent, agents } = this.#context;
    const backend = agentName === "" ? agent : agents.get(agentName)?.backend;
    if (!backend?.keepsState) return false;
    this.agentName = agentName;
    this.agent = backend;
    return true;
  }

  /** Continues the conversation in a child session, with a new epoch. */
  moveTo(session: SessionRow, route: RouteRow): void {
    this.#started = { ...this.started, session, route, epoch: route.epoch };
    this.#about = undefined;
  }

  spent(usage: EventUsage): void {
    this.spentByHelpers.push(usage);
  }

  get hasStarted(): boolean {
    return this.#started !== undefined;
  }

  get started(): StartedTurn {
    if (!this.#started) throw new Error("The turn has not started");
    return this.#started;
  }

  get session(): SessionRow {
    return this.started.session;
  }

  get epoch(): number {
    return this.started.epoch;
  }

  get rows(): readonly InboxRow[] {
    return this.#rows;
  }

  /** The preview answers the first message, the reply the last. */
  get first(): InboxRow {
    return this.#rows[0]!;
  }

  get last(): InboxRow {
    return this.#rows.at(-1)!;
  }

  get replyTarget(): Target {
    return this.last === this.first ? this.target : targetOf(this.last.message);
  }

  get inboxIds(): number[] {
    return this.#rows.map(({ id }) => id);
  }

  /** A program is waiting, so there must be a reply. */
  get isRequest(): boolean {
    return this.first.message.request !== undefined;
  }

  /** No person is waiting for the answer: a schedule, a webhook, Home Assistant, or a command without a terminal. */
  get unattended(): "cron" | "other" | undefined {
    const { task } = this.first.message;
    if (task) return task.run ? "cron" : "other";
    return this.adapter?.unattended ? "other" : undefined;
  }

  /** The messages to add to the conversation, with notes about earlier messages before the first. */
  get asked(): readonly Asked[] {
    this.#asked ??= this.#rows.map((row, i) => this.#askedBy(row, i === 0 ? this.started.notes : []));
    return this.#asked;
  }

  /** The same without the notes, which the next turn gets. */
  get askedWithoutNotes(): readonly Asked[] {
    return this.started.notes.length === 0 ? this.asked : this.#rows.map((row) => this.#askedBy(row, []));
  }

  /** What is stored if a human answers instead. */
  get kept(): KeptMessage[] {
    return this.#rows.map((row) => {
      const { messages, author } = this.#askedBy(row, []);
      return { inboxId: row.id, messages, author };
    });
  }

  authorOf(row: InboxRow): Author {
    const { platform, userId } = this.personOf(row);
    return { platform, userId, userName: row.message.origin.userName ?? null };
  }

  /** Each message keeps its own principal: one person may have two ids, and tasks may name another principal. */
  personOf({ message }: InboxRow): Principal {
    const { message: first } = this.first;
    const isSame = !message.task && !first.task && message.origin.userId === first.origin.userId;
    if (isSame || message === first) return this.principal;
    return principalOf(message, this.#context.config.owners, this.shared);
  }

  /** Reads the conversation while the turn starts. The route's epoch shows afterwards whether it is still current. */
  readAhead(ahead: ReadAhead): void {
    this.#ahead = ahead;
  }

  /** The conversation read ahead, if it is still current. */
  get conversation(): Promise<ChatMessage[]> | undefined {
    const { session, opened, withdrawnFrom } = this.started;
    if (opened && session.message_count === 0) return Promise.resolve([]);
    return this.#ahead?.sessionId === session.id && withdrawnFrom.length === 0
      ? this.#ahead.messages
      : undefined;
  }

  /** The turn's messages, as they wait for an answer or the next attempt. */
  get suspended(): SuspendedRows | undefined {
    const { waitMs } = this;
    if (waitMs === undefined) return undefined;
    const rows = [...this.#rows, ...this.running.taken].map((row) => ({ ...row, turnId: this.id }));
    for (const row of rows) delete row.route;
    return { rows, waitMs };
  }

  /** Fields for events. */
  get about() {
    this.#about ??= aboutTurn(this);
    return this.#about;
  }

  #askedBy(row: InboxRow, notes: StartedTurn["notes"]): Asked {
    return { row, messages: toMessages(row, this.shared, notes), author: this.authorOf(row) };
  }
}

function aboutTurn(turn: Turn) {
  const { first, rows, id, key, hasStarted } = turn;
  return {
    traceId: first.traceId,
    traceIds: rows.map((row) => row.traceId),
    turnId: id,
    sessionKey: key,
    sessionId: hasStarted ? turn.session.id : "",
    platform: first.message.platform,
    message: first.message,
    inboxIds: turn.inboxIds,
    eventIds: rows.map(({ message }) => message.eventId),
  };
}
