import { randomUUID } from "node:crypto";
import type {
  AgentBackend,
  AgentEvent,
  Failure,
  Tool,
  TurnMessage,
  TurnRequest,
  TurnUsage,
} from "../agents/backend.js";
import { nowSeconds } from "../clock.js";
import type { Events, TurnEnd } from "../events.js";
import { killPoint } from "../kill-point.js";
import type { ShownImages } from "../media/images.js";
import { hideTags, type WantedFile } from "../media/tags.js";
import type { Principal, Target } from "../message.js";
import { endAfterTurn } from "../one-turn.js";
import { attemptsExhausted, nextAttempt } from "../policies/retry.js";
import type { ChatMessage, NewMessage, SessionId, SessionKey, SessionRow } from "../session.js";
import type { Compression } from "../sessions/compress.js";
import type { Author, InboxRow, ReplyFile, RouteRow, StartedTurn, Unanswered } from "../store/queues.js";
import type { Store, Usage } from "../store/store.js";
import type { TraceId } from "../trace-id.js";
import type { RunningTurn } from "./lanes.js";
import { limitAnswer } from "./limit-answer.js";
import { Refresh } from "./refresh.js";
import {
  type Answering,
  answerReplies,
  failureReplies,
  isRequest,
  lastAnswer,
  reply,
  says,
  tookTooLong,
} from "./replies.js";
import { plainWords, toMessages, toUserMessage, withImages } from "./turn-input.js";
import { unansweredMessages } from "./unanswered.js";

/**
 * Waiting rows → session → the agent's events → one transaction: messages, counters, answers, rows done. Whatever
 * ends a turn before that commit, its rows are still in the inbox.
 */
export interface TurnDeps {
  store: Store;
  bootId: string;
  agent: AgentBackend;
  /** Live session for these rows; opens one if needed. */
  resolve(key: SessionKey, row: InboxRow): Promise<void>;
  isShared(row: InboxRow): boolean;
  principal(row: InboxRow): Principal;
  tools(session: SessionRow, principal: Principal): Promise<Tool[]>;
  /** Pictures that the agent is shown in one turn. */
  maxImages: number;
  /** The pictures of a message, so many at most. */
  images(row: InboxRow, maxCount: number): Promise<ShownImages>;
  /** Copies of the files that an answer names, for that chat; or why not. */
  takeFiles(wanted: readonly WantedFile[], target: Target): Promise<ReplyFile[]>;
  /** The model that this chat asked for. */
  modelFor(key: SessionKey): string | undefined;
  /** A notice that goes out before the answer. */
  noticeFor(route: RouteRow): string | undefined;
  /** Too long for the model: a shorter history, not stored yet. Undefined when there is nothing to gain. */
  shorten(started: StartedTurn): Promise<Compression | undefined>;
  /** The conversation goes on in a child session that begins with this. Undefined when the chat has moved on meanwhile. */
  split(key: SessionKey, started: StartedTurn, shortened: Compression): Promise<SessionRow | undefined>;
  /** Without a word from the agent for so long, the turn is given up. 0: never. */
  idleTimeoutMs: number;
  preview(row: InboxRow, turnId: string, text: string): void;
  /** Nothing is shown of this turn any more when it resolves. */
  endPreview(turnId: string): Promise<void>;
  /** No answer comes of it: it was stopped, failed, or had nothing to say. Untold: nothing else is said to it either. */
  dropPreview(row: InboxRow, turnId: string, untold: boolean): void;
  typing(row: InboxRow): void;
  /** Messages of the session were taken back. */
  rewritten(id: SessionId): void;
  /** A question without an answer was committed to the session. */
  kept(session: SessionRow, messages: NewMessage[]): void;
  /** After the commit. Not awaited by the chat. */
  finished(turn: FinishedTurn): void;
  /** It ended, with or without an answer: something may wait again. */
  ended(end: TurnEnd): void;
  events: Pick<Events, "emit">;
}

export interface FinishedTurn {
  turnId: string;
  traceId: TraceId;
  key: SessionKey;
  session: SessionRow;
  route: RouteRow;
  /** Of the turn: whoever goes on from it finds out by this whether another one has begun. */
  epoch: number;
  messages: NewMessage[];
  /** What people wrote, and nothing that was added to it. */
  asked: string;
  answer: string;
  principal: Principal;
  /** The session ended with it. */
  ended: boolean;
}

const TYPING_EVERY_MS = 4000;

export async function runTurn(
  deps: TurnDeps,
  key: SessionKey,
  waiting: InboxRow[],
  turn: RunningTurn,
): Promise<void> {
  const turnId = randomUUID();
  const first = waiting[0]!;
  let rows = waiting;
  const startedAt = nowSeconds();
  let started: StartedTurn | undefined;
  const tell = (sessionId: SessionId, end: Ending) => {
    const whole = { failure: null, answer: "", ...end, startedAt };
    deps.events.emit({ type: "turn-ended", ...aboutTurn({ key, rows, turnId, sessionId }), ...whole });
    if (whole.outcome !== "answered") deps.dropPreview(first, turnId, UNTOLD.has(whole.outcome));
    deps.ended(whole);
  };
  try {
    await deps.resolve(key, first);
    const inboxIds = rows.map((row) => row.id);
    started = await deps.store.startTurn({
      sessionKey: key,
      inboxIds,
      earlierTurnId: first.turnId,
      bootId: deps.bootId,
      turnId,
      at: nowSeconds(),
    });
    if (!started) return;
    // As they stand now: a message may have been changed or taken back while it waited.
    rows = started.rows;
    for (const id of started.withdrawnFrom) deps.rewritten(id);
    killPoint("turn-started");
    const about = aboutTurn({ key, rows, turnId, sessionId: started.session.id });
    const { attempt } = started;
    const waitedSeconds = startedAt - first.receivedAt;
    deps.events.emit({ type: "turn-started", ...about, attempt, waitedSeconds });
    const end = await converse(deps, { key, rows, turn, turnId, started });
    tell(started.session.id, end);
  } catch (error) {
    const end = await giveBack(deps, { key, rows, turn, turnId, started }, error);
    tell(started?.session.id ?? "", end);
    if (!started) throw error;
  }
}

/** How a turn ended, as far as it isn't said by its beginning. */
type Ending = Pick<TurnEnd, "outcome"> & Partial<TurnEnd>;

/** Ends that the chat isn't told of. */
const UNTOLD: ReadonlySet<TurnEnd["outcome"]> = new Set(["stopped", "interrupted", "silent"]);

const OVERTAKEN: Ending = { outcome: "overtaken", failure: { kind: "overtaken", message: "overtaken" } };

function aboutTurn({
  key,
  rows,
  turnId,
  sessionId,
}: Omit<Turn, "turn" | "started"> & { sessionId: SessionId }) {
  const { traceId, message } = rows[0]!;
  return {
    traceId,
    traceIds: rows.map((row) => row.traceId),
    turnId,
    sessionKey: key,
    sessionId,
    platform: message.platform,
    message,
    inboxIds: rows.map((row) => row.id),
  };
}

interface Turn {
  key: SessionKey;
  rows: InboxRow[];
  turn: RunningTurn;
  turnId: string;
  started: StartedTurn;
}

async function converse(deps: TurnDeps, current: Turn): Promise<Ending> {
  const result = await askAgent(deps, current);
  if (result.failure?.kind !== "context_length") return conclude(deps, current, result);
  const shortened = await deps.shorten(current.started);
  if (!shortened) return conclude(deps, current, result);
  // What was added on the way is added again.
  current.turn.steering.unshift(...current.turn.taken.splice(0));
  const second = await askAgent(deps, current, shortened.messages);
  // Only a history that the model takes is worth a session of its own.
  if (second.failure) return conclude(deps, current, second);
  const child = await deps.split(current.key, current.started, shortened);
  return conclude(deps, (child && (await inChild(deps, current, child))) ?? current, second);
}

async function conclude(deps: TurnDeps, current: Turn, result: AgentResult): Promise<Ending> {
  const { key, rows, turn, turnId, started } = current;
  if (!result.failure) return finish(deps, current, result);
  const reason = turn.controller.signal.reason as string | undefined;
  const isLate = result.failure.kind === "stopped" && reason === "timeout";
  const failure = isLate ? tookTooLong(rows, deps.idleTimeoutMs / 1000) : result.failure;
  if (failure.kind === "stopped" && reason === "interrupted")
    return finish(deps, current, interrupted(result), false);
  if (failure.kind === "stopped" && reason === "shutdown")
    return release(deps, current, "the gateway stopped");
  const stopped = failure.kind === "stopped" && reason === "stopped";
  const unanswered = stopped ? undefined : unansweredOf(deps, current, failure.kind);
  const failed = await deps.store.failTurn({
    turnId,
    sessionKey: key,
    inboxIds: rows.map((row) => row.id),
    error: failure.message,
    next: { state: stopped ? "cancelled" : "dead" },
    replies: stopped && !isRequest(rows) ? [] : failureReplies(answering(deps, current), failure),
    said: turn.said,
    ...(unanswered ? { unanswered } : {}),
    ...endOf(rows),
  });
  tellKept(deps, started, unanswered, failed);
  const { kind, message } = failure;
  return { outcome: stopped ? "stopped" : "failed", failure: { kind, message }, answer: result.text };
}

/** Programs and schedules keep their own account of what they asked; a person's question stays in the session. */
function unansweredOf(
  deps: TurnDeps,
  { rows, started }: Pick<Turn, "rows" | "started">,
  kind: Failure["kind"],
): Unanswered | undefined {
  if (rows.some(({ message }) => message.request || message.errand)) return undefined;
  return {
    sessionId: started.session.id,
    epoch: started.epoch,
    questions: rows.map((row) => ({
      inboxId: row.id,
      // Without notes: the next turn tells them.
      messages: stamped(unansweredMessages(toMessages(row, deps.isShared(row)), kind)),
      author: authorOf(deps, row),
    })),
    participants: rows.map((row) => deps.principal(row)),
  };
}

function tellKept(
  deps: TurnDeps,
  { session }: StartedTurn,
  unanswered: Unanswered | undefined,
  failed: { kept: boolean } | undefined,
): void {
  if (!unanswered || !failed?.kept) return;
  deps.kept(
    session,
    unanswered.questions.flatMap(({ messages }) => messages),
  );
}

/** The conversation goes on in the child, under a new epoch; undefined when the chat has left it already. */
async function inChild(deps: TurnDeps, current: Turn, session: SessionRow): Promise<Turn | undefined> {
  const route = await deps.store.getRoute(current.key);
  if (route?.sessionId !== session.id) return undefined;
  return { ...current, started: { ...current.started, route, session, epoch: route.epoch } };
}

async function cancel(deps: TurnDeps, current: Turn, error: string): Promise<void> {
  const { key, rows, turn, turnId } = current;
  const inboxIds = rows.map((row) => row.id);
  const failure: Failure = { kind: "stopped", message: error, notice: "Stopped." };
  await deps.store.failTurn({
    turnId,
    sessionKey: key,
    inboxIds,
    error,
    next: { state: "cancelled" },
    replies: isRequest(rows) ? failureReplies(answering(deps, current), failure) : [],
    said: turn.said,
  });
}

/** Back into the inbox, as if nothing had been tried. */
async function release(deps: TurnDeps, { key, rows, turn, turnId }: Turn, error: string): Promise<Ending> {
  await deps.store.failTurn({
    turnId,
    sessionKey: key,
    inboxIds: rows.map((row) => row.id),
    error,
    next: { state: "waiting", waitSeconds: 0, uncounted: true },
    replies: [],
    said: turn.said,
  });
  return { outcome: "released", failure: { kind: "released", message: error } };
}

interface AgentResult {
  text: string;
  messages: TurnMessage[];
  usages: TurnUsage[];
  failure: Failure | undefined;
}

async function askAgent(
  deps: TurnDeps,
  current: Turn,
  shortened?: readonly ChatMessage[],
): Promise<AgentResult> {
  const { key, rows, turn, turnId, started } = current;
  const { session } = started;
  const first = rows[0]!;
  const about = aboutTurn({ key, rows, turnId, sessionId: session.id });
  const principal = deps.principal(first);
  const model = first.message.request?.model ?? deps.modelFor(key);
  const request = {
    session: { id: session.id, key, source: session.source },
    principal,
    systemPrompt: promptOf(session, first),
    history: shortened ?? (await historyOf(deps, session, first)),
    input: await agentInput(deps, current),
    tools: (await deps.tools(session, principal)).map((tool) => watched(tool, deps, about)),
    ...wishes(first),
    takeSteering: () => takeUp(turn).map((row) => String(toUserMessage(row, deps.isShared(row)).content)),
    ...(model === undefined ? {} : { model }),
  };
  const result: AgentResult = { text: "", messages: [], usages: [], failure: undefined };
  turn.said = "";
  const watch = watchdog(deps.idleTimeoutMs, turn.controller);
  const typing = setInterval(() => deps.typing(first), TYPING_EVERY_MS);
  deps.typing(first);
  const shown = new Refresh(() => deps.preview(first, turnId, hideTags(result.text)));
  try {
    for await (const event of limitAnswer(deps.agent.run(request, turn.controller.signal))) {
      watch.restart();
      take(event, result);
      tellStep(deps, about, event, result);
      if (event.type === "text") shown.grownTo(result.text.length);
    }
  } finally {
    shown.end();
    turn.said = hideTags(result.text);
    clearInterval(typing);
    watch.stop();
    await deps.endPreview(turnId);
  }
  return result;
}

function promptOf(session: SessionRow, { message }: InboxRow): string {
  return [session.system_prompt, message.request?.instructions].filter(Boolean).join("\n\n");
}

/** A new session begins with what its client remembers. */
function earlier(session: SessionRow, { message }: InboxRow): readonly ChatMessage[] {
  return session.message_count === 0 ? (message.request?.history ?? []) : [];
}

async function historyOf(deps: TurnDeps, session: SessionRow, first: InboxRow): Promise<ChatMessage[]> {
  return [...(await deps.store.getConversation(session.id)), ...earlier(session, first)];
}

function wishes({ message }: InboxRow): Pick<TurnRequest, "clientTools" | "toolChoice"> {
  const { tools, toolChoice } = message.request ?? {};
  return { ...(tools ? { clientTools: tools } : {}), ...(toolChoice ? { toolChoice } : {}) };
}

function takeUp(turn: RunningTurn): InboxRow[] {
  const rows = turn.steering.splice(0);
  turn.taken.push(...rows);
  return rows;
}

function take(event: AgentEvent, result: AgentResult): void {
  if (event.type === "text") result.text += event.delta;
  if (event.type === "message") result.messages.push(event.message);
  if (event.type === "usage") result.usages.push(event.usage);
  if (event.type === "failed") result.failure = event.failure;
}

type About = ReturnType<typeof aboutTurn>;

function tellStep({ events }: TurnDeps, about: About, event: AgentEvent, { messages }: AgentResult): void {
  if (event.type === "usage") events.emit({ type: "turn-usage", ...about, usage: event.usage });
  if (event.type !== "message" || !event.message.tool_calls?.length) return;
  const calls = event.message.tool_calls as { function?: { name?: string } }[];
  const tools = calls.flatMap((call) => call.function?.name ?? []);
  const step = messages.filter((message) => message.tool_calls?.length).length;
  events.emit({ type: "turn-step", ...about, step, tools });
}

/** The same tool; when it was called and how that went is told. */
function watched(tool: Tool, { events }: TurnDeps, about: About): Tool {
  return {
    ...tool,
    run: async (args, signal) => {
      const startedAt = nowSeconds();
      const tell = (ok: boolean) =>
        events.emit({ type: "tool-ended", ...about, tool: tool.name, args, ok, startedAt });
      try {
        const text = await tool.run(args, signal);
        tell(true);
        return text;
      } catch (error) {
        tell(false);
        throw error;
      }
    },
  };
}

/** A longer one would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Ends a turn that has gone silent. */
function watchdog(idleMs: number, controller: AbortController): { restart(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const restart = () => {
    clearTimeout(timer);
    if (idleMs > 0) timer = setTimeout(() => controller.abort("timeout"), Math.min(idleMs, LONGEST_TIMER_MS));
  };
  restart();
  return { restart, stop: () => clearTimeout(timer) };
}

/** What was said before the interruption is part of the conversation; it isn't sent any more. */
function interrupted(result: AgentResult): AgentResult {
  if (result.text === "" || result.messages.at(-1)?.content === result.text) return result;
  const partial = { role: "assistant", content: result.text, finish_reason: "interrupted" };
  return { ...result, messages: [...result.messages, partial] };
}

async function finish(deps: TurnDeps, current: Turn, result: AgentResult, send = true): Promise<Ending> {
  const { key, turn, turnId, started } = current;
  const { session, route } = started;
  const rows = [...current.rows, ...turn.taken];
  const said = allSaid(deps, current, result);
  const messages = stamped(said.map(({ message }) => message));
  const answer = lastAnswer(result);
  const notice = deps.noticeFor(route);
  const silent = !says(answer, current.rows);
  const replies = [
    ...(notice ? [reply(current.rows, notice, "notice")] : []),
    ...(await answerReplies(answering(deps, current), result, send && !silent ? answer : undefined)),
  ];
  const principal = deps.principal(rows[0]!);
  const lastPromptTokens = promptTokens(result.usages.at(-1));
  killPoint("turn-answered");
  const committed = await deps.store.finishTurn({
    turnId,
    sessionKey: key,
    sessionId: session.id,
    epoch: started.epoch,
    inboxIds: rows.map((row) => row.id),
    messages,
    authors: said.map(({ author }) => author),
    usage: totalUsage(result.usages),
    participants: rows.map((row) => deps.principal(row)),
    replies,
    said: turn.said,
    notes: started.notes,
    ...(lastPromptTokens === undefined ? {} : { lastPromptTokens }),
    ...endOf(current.rows),
  });
  killPoint("turn-committed");
  if (!committed) {
    // The chat has moved on to another session meanwhile: the message is asked again there, unless it was stopped.
    if (turn.controller.signal.aborted) await cancel(deps, current, "stopped");
    else await release(deps, current, "overtaken");
    return { ...OVERTAKEN, answer };
  }
  const ended = endOf(current.rows).end !== undefined;
  const { traceId } = current.rows[0]!;
  deps.finished({
    turnId,
    traceId,
    key,
    session,
    route,
    epoch: started.epoch,
    messages,
    asked: rows.map(plainWords).join("\n"),
    answer,
    principal,
    ended,
  });
  if (!send) return { outcome: "interrupted", answer };
  return { outcome: silent ? "silent" : "answered", answer };
}

async function agentInput(deps: TurnDeps, current: Turn): Promise<ChatMessage[]> {
  const input: ChatMessage[] = [];
  let left = deps.maxImages;
  for (const row of current.rows) {
    const images = await deps.images(row, left);
    left -= images.parts.length;
    for (const message of messagesOf(deps, current, row))
      input.push(message.role === "user" ? withImages(message, images) : (message as ChatMessage));
  }
  return input;
}

interface Said {
  message: NewMessage;
  author: Author | null;
}

/** Everything that the turn adds, with who wrote it. What was added on the way comes among the agent's own. */
function allSaid(deps: TurnDeps, current: Turn, result: AgentResult): Said[] {
  const byNobody = (message: unknown) => ({ message: message as NewMessage, author: null });
  const asked = current.rows.flatMap((row) =>
    messagesOf(deps, current, row).map((message) => ({ message, author: authorOf(deps, row) })),
  );
  const steered = current.turn.taken.values();
  const answered = result.messages.map((message) => {
    const row = message.role === "user" ? steered.next().value : undefined;
    return { message: message as NewMessage, author: row ? authorOf(deps, row) : null };
  });
  return [...earlier(current.started.session, current.rows[0]!).map(byNobody), ...asked, ...answered];
}

function authorOf(deps: TurnDeps, row: InboxRow): Author {
  const { platform, userId } = deps.principal(row);
  return { platform, userId, userName: row.message.origin.userName ?? null };
}

/** What has changed since the last turn stands before the first of them. */
function messagesOf(deps: TurnDeps, { rows, started }: Turn, row: InboxRow): NewMessage[] {
  return toMessages(row, deps.isShared(row), row === rows[0] ? started.notes : []);
}

const MICROSECOND = 1e-6;

/** The database and the transcript tell the same time. */
function stamped(messages: readonly NewMessage[]): NewMessage[] {
  const now = nowSeconds();
  return messages.map((message, i) => ({ timestamp: now + i * MICROSECOND, ...message }));
}

function answering(deps: TurnDeps, { rows, started }: Pick<Turn, "rows" | "started">): Answering {
  const { agent, takeFiles } = deps;
  return { rows, session: started.session, model: agent.model, takeFiles };
}

function endOf(rows: readonly InboxRow[]): { end?: string } {
  const end = endAfterTurn(rows[0]!);
  return end === undefined ? {} : { end };
}

/** What the model was given, cached or not. */
function promptTokens(usage: TurnUsage | undefined): number | undefined {
  return usage && usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

export function totalUsage(usages: readonly TurnUsage[]): Usage {
  const sum = (pick: (usage: TurnUsage) => number) => usages.reduce((total, usage) => total + pick(usage), 0);
  const last = usages.at(-1);
  if (!last) return {};
  const priced = usages.every((usage) => usage.costUsd !== undefined);
  return {
    input_tokens: sum((u) => u.inputTokens),
    output_tokens: sum((u) => u.outputTokens),
    cache_read_tokens: sum((u) => u.cacheReadTokens),
    cache_write_tokens: sum((u) => u.cacheWriteTokens),
    reasoning_tokens: sum((u) => u.reasoningTokens),
    api_call_count: usages.length,
    model: last.model,
    billing_provider: last.provider,
    ...(last.baseUrl ? { billing_base_url: last.baseUrl } : {}),
    ...(priced
      ? { estimated_cost_usd: sum((u) => u.costUsd ?? 0), cost_status: "estimated" }
      : { cost_status: "unknown" }),
  };
}

const GIVEN_UP =
  "Something went wrong on my side and your message was not answered. Please send it again later.";

/** To whatever chat an errand speaks in: the log and `hermes trace` say more. */
const OUR_FAULT = "something went wrong here. The operator's log says what.";

/** A fault of ours: the message waits for another attempt, and is given up aloud after the last. */
async function giveBack(
  deps: TurnDeps,
  { key, rows, turn, turnId, started }: Omit<Turn, "started"> & { started: StartedTurn | undefined },
  error: unknown,
): Promise<Ending> {
  const message = error instanceof Error ? error.message : String(error);
  const failure = { kind: "internal", message };
  // Nothing was begun: its rows wait as they were.
  if (!started) return { outcome: "retrying", failure };
  const exhausted = attemptsExhausted(started.attempt);
  const delayMs = nextAttempt({ attempts: started.attempt, random: Math.random });
  const notice = rows.at(-1)!.message.errand ? OUR_FAULT : GIVEN_UP;
  const unanswered = exhausted ? unansweredOf(deps, { rows, started }, "other") : undefined;
  const failed = await deps.store.failTurn({
    turnId,
    sessionKey: key,
    inboxIds: rows.map((row) => row.id),
    error: message,
    next: exhausted ? { state: "dead" } : { state: "waiting", waitSeconds: delayMs / 1000 },
    replies: exhausted ? failureReplies(answering(deps, { rows, started }), { ...failure, notice }) : [],
    said: turn.said,
    ...(unanswered ? { unanswered } : {}),
    ...(exhausted ? endOf(rows) : {}),
  });
  tellKept(deps, started, unanswered, failed);
  return { outcome: exhausted ? "failed" : "retrying", failure };
}
