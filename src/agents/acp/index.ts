/** An agent in a program of its own, over the Agent Client Protocol: one process, many sessions. */
import path from "node:path";
import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  StopReason,
} from "@agentclientprotocol/sdk";
import type { Config } from "../../config/schema.js";
import { settlesWithin } from "../../timeout.js";
import type { AgentBackend, AgentEvent, OwnConversation, TurnRequest } from "../backend.js";
import { type Plan, planOf, readKept } from "../own-conversation.js";
import { Answer } from "./answer.js";
import type { AgentConnection } from "./connection.js";
import { EventQueue } from "./event-queue.js";
import { lost, PromptFailed, silent, toFailure } from "./failures.js";
import { decidePermission, rejection } from "./permissions.js";
import { Pool } from "./pool.js";
import { promptBlocks } from "./prompt.js";

export interface AcpOptions {
  /** As people call it. */
  name: string;
  /** Where it works, unless configured. */
  workspace: string;
  /** How long a cancelled prompt may take to end. */
  cancelMs?: number;
}

const CANCEL_MS = 5000;
/** Its history is its own business. */
const CONTEXT_LENGTH = 200_000;

export function acpAgent(
  settings: Config["acp"],
  options: AcpOptions,
): AgentBackend & { processes(): number } {
  const { name, workspace, cancelMs = CANCEL_MS } = options;
  const command = settings.command ?? "";
  const cwd = path.resolve(settings.cwd ?? workspace);
  const pool = new Pool({
    ...{ command, args: settings.args, env: settings.env, cwd },
    idleMs: settings.idle_timeout * 1000,
    maxProcesses: settings.max_processes,
  });
  const setup: Setup = {
    name,
    cwd,
    pool,
    cancelMs,
    policy: settings.permissions,
    quietSeconds: settings.timeout,
  };
  return {
    name: "acp",
    model: path.basename(command),
    contextLength: CONTEXT_LENGTH,
    keepsState: true,
    run: (request, signal) => run(setup, request, signal),
    close: () => pool.close(),
    processes: () => pool.size,
  };
}

interface Setup {
  name: string;
  cwd: string;
  pool: Pool;
  cancelMs: number;
  policy: Config["acp"]["permissions"];
  quietSeconds: number;
}

async function* run(setup: Setup, request: TurnRequest, signal: AbortSignal): AsyncGenerator<AgentEvent> {
  const events = new EventQueue();
  const left = new AbortController();
  const ended = AbortSignal.any([signal, left.signal]);
  const work = converse(setup, request, ended, events)
    .then(
      () => events.push({ type: "done" }),
      (error: unknown) => events.push({ type: "failed", failure: toFailure(error, setup.name, ended) }),
    )
    .then(() => events.end());
  try {
    yield* events;
  } finally {
    // The consumer may leave early: the agent stops, too.
    left.abort();
    await work;
  }
}

async function converse(
  setup: Setup,
  request: TurnRequest,
  signal: AbortSignal,
  events: EventQueue,
): Promise<void> {
  const { own, history, input } = request;
  if (!own) throw new Error("this turn can't be recorded");
  signal.throwIfAborted();
  const kept = readKept(await own.read());
  const wanted = planOf(kept, own.sent, history);
  const connection = await setup.pool.take(wanted.to === "begin" ? undefined : wanted.id);
  try {
    signal.throwIfAborted();
    const { id, plan } = await openConversation(connection, wanted, setup);
    const blocks = promptBlocks(request, plan, connection.takesImages);
    signal.throwIfAborted();
    await record(own, plan, { id, seen: history.length });
    const turn = new PromptTurn({ setup, request, connection, id, signal, events });
    const stopReason = await turn.run(blocks);
    conclude(turn.answer, stopReason, setup.name, events);
    await own.write(JSON.stringify({ id, seen: history.length + input.length + 1 }));
  } finally {
    setup.pool.release(connection);
  }
}

/** If a conversation can't be opened again, a new one begins with the history; but a message is never sent twice. */
async function openConversation(
  connection: AgentConnection,
  plan: Plan,
  { cwd, name }: Setup,
): Promise<{ id: string; plan: Plan }> {
  if (plan.to !== "begin" && (await connection.openSession(plan.id, cwd))) return { id: plan.id, plan };
  if (plan.to === "continue") throw lost(name);
  return { id: await connection.newSession(cwd), plan: { to: "begin" } };
}

/** That the prompt is sent is the last thing to be stored before it is. */
async function record(own: OwnConversation, plan: Plan, kept: { id: string; seen: number }): Promise<void> {
  if (plan.to === "continue") return;
  await own.write(JSON.stringify(kept));
  await own.sending(kept.id);
}

function conclude(
  { text, hasSteps }: Answer,
  stopReason: StopReason,
  name: string,
  events: EventQueue,
): void {
  if (stopReason === "refusal")
    throw new PromptFailed("refused", "it refused to answer", `The agent ${name} refused to answer this.`);
  if (stopReason === "cancelled")
    throw new PromptFailed(
      "other",
      "it cancelled the turn",
      `The agent ${name} stopped its work. Ask again.`,
    );
  if (text.trim() === "" && (stopReason !== "end_turn" || !hasSteps))
    throw new PromptFailed(
      "other",
      `it ended without an answer (${stopReason})`,
      `The agent ${name} gave no answer. Ask again, or ask for less at once.`,
    );
  // Without words, the steps were the answer.
  const content = text.trim() === "" ? "✅" : text;
  const finish_reason = stopReason === "end_turn" ? "stop" : "length";
  events.push({ type: "message", message: { role: "assistant", content, finish_reason } });
}

interface PromptParts {
  setup: Setup;
  request: TurnRequest;
  connection: AgentConnection;
  id: string;
  signal: AbortSignal;
  events: EventQueue;
}

/** One prompt: its updates, its permission requests, and its end. */
class PromptTurn {
  readonly answer = new Answer();
  readonly #parts: PromptParts;
  /** Why it is ended early. */
  readonly #over = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #questions = 0;

  constructor(parts: PromptParts) {
    this.#parts = parts;
  }

  async run(blocks: Parameters<AgentConnection["prompt"]>[1]): Promise<StopReason> {
    const { connection, id, signal } = this.#parts;
    const stop = () => this.#over.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    const prompt = connection.prompt(id, blocks, {
      update: (update) => this.#update(update),
      permission: (request) => this.#permission(request),
    });
    const cancel = () => void this.#cancel(prompt);
    this.#over.signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) stop();
    this.#watch();
    try {
      const stopReason = await prompt;
      if (this.answer.isFull) return "max_tokens";
      this.#over.signal.throwIfAborted();
      return stopReason;
    } catch (error) {
      if (this.answer.isFull) return "max_tokens";
      throw this.#over.signal.aborted ? this.#over.signal.reason : error;
    } finally {
      clearTimeout(this.#timer);
      signal.removeEventListener("abort", stop);
      // Questions that are still open end with it.
      this.#over.signal.removeEventListener("abort", cancel);
      this.#over.abort();
    }
  }

  #update(update: Parameters<Answer["take"]>[0]): void {
    this.#watch();
    if (this.#over.signal.aborted) return;
    for (const event of this.answer.take(update)) this.#parts.events.push(event);
    if (this.answer.isFull) this.#over.abort(new Error("the answer is too long"));
  }

  async #permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const { setup, request: turn } = this.#parts;
    const { principal, ask } = turn;
    const who = { agent: setup.name, owner: principal.owner === true };
    const decision = decidePermission(request, setup.policy, who);
    if (decision.to === "cancel") return CANCELLED;
    if (decision.to === "select") return selected(decision.optionId);
    // While a person thinks, the agent waits.
    this.#questions += 1;
    clearTimeout(this.#timer);
    try {
      const choice = await ask?.(decision.question, this.#over.signal);
      if (this.#over.signal.aborted) return CANCELLED;
      const optionId = decision.optionOf(choice);
      return optionId === undefined ? CANCELLED : selected(optionId);
    } catch {
      const optionId = rejection(request.options);
      return optionId === undefined || this.#over.signal.aborted ? CANCELLED : selected(optionId);
    } finally {
      this.#questions -= 1;
      this.#watch();
    }
  }

  /** Ends a prompt that gives no sign. */
  #watch(): void {
    clearTimeout(this.#timer);
    const { quietSeconds, name } = this.#parts.setup;
    if (this.#questions > 0 || this.#over.signal.aborted) return;
    const ms = Math.min(quietSeconds * 1000, 2 ** 31 - 1);
    this.#timer = setTimeout(() => this.#over.abort(silent(name, quietSeconds)), ms);
  }

  /** An agent that doesn't end its prompt is ended itself. */
  async #cancel(prompt: Promise<unknown>): Promise<void> {
    const { connection, id, setup } = this.#parts;
    const isOver = settlesWithin(prompt, setup.cancelMs);
    await settlesWithin(connection.cancel(id), setup.cancelMs);
    if (!(await isOver)) await connection.kill();
  }
}

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

function selected(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: "selected", optionId } };
}
