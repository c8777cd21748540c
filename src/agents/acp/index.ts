/** An agent in its own program, over the Agent Client Protocol: one process, many sessions. */
import path from "node:path";
import type { StopReason } from "@agentclientprotocol/sdk";
import type { Config } from "../../config/schema.js";
import type { AgentBackend, AgentEvent, OwnConversation, TurnRequest } from "../backend.js";
import { type Kept, planOf, readKept } from "../own-conversation.js";
import type { Answer } from "./answer.js";
import { EventQueue } from "./event-queue.js";
import { PromptFailed, toFailure } from "./failures.js";
import { openConversation } from "./open-conversation.js";
import { Pool } from "./pool.js";
import { promptBlocks } from "./prompt.js";
import { type PromptSettings, PromptTurn } from "./prompt-turn.js";
import { usageOf } from "./usage.js";

export interface AcpOptions {
  /** Display name. */
  name: string;
  /** Where it works, unless configured. */
  workspace: string;
  /** How long a cancelled prompt may take to end. */
  cancelMs?: number;
}

const CANCEL_MS = 5000;
/** It keeps its own history. */
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
  const model = path.basename(command);
  const setup: Setup = {
    ...{ name, model, cwd, pool, cancelMs },
    policy: settings.permissions,
    quietSeconds: settings.timeout,
  };
  return {
    name: "acp",
    model,
    contextLength: CONTEXT_LENGTH,
    keepsState: true,
    run: (request, signal) => run(setup, request, signal),
    close: () => pool.close(),
    processes: () => pool.size,
  };
}

interface Setup extends PromptSettings {
  model: string;
  cwd: string;
  pool: Pool;
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
    // If the consumer leaves early, the agent stops too.
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
  const agentProcess = await setup.pool.take(wanted.to === "begin" ? undefined : wanted.id);
  try {
    signal.throwIfAborted();
    const { id, plan } = await openConversation(agentProcess, wanted, { ...setup, request, kept });
    const blocks = promptBlocks(request, plan, agentProcess.takesImages);
    signal.throwIfAborted();
    // Recorded immediately before the prompt is sent.
    if (own.sent === undefined) await own.sending(id);
    const arrival = new Arrival(own, { id, seen: history.length, costUsd: costOf(kept, id) });
    const arrived = () => arrival.note();
    const turn = new PromptTurn({ setup, request, agentProcess, id, signal, events, arrived });
    const end = await turn.run(blocks).finally(() => arrival.stored());
    const spent = { tokens: end.usage, before: costOf(kept, id), costUsd: turn.costUsd };
    const usage = usageOf(spent, setup.model);
    if (usage) events.push({ type: "usage", usage });
    conclude(turn.answer, end.stopReason, setup.name, events, usage?.outputTokens);
    const seen = history.length + input.length + 1;
    await own.write(JSON.stringify({ id, seen, costUsd: turn.costUsd ?? costOf(kept, id) }));
  } finally {
    setup.pool.release(agentProcess);
  }
}

/** The conversation's cost before this turn. */
function costOf(kept: Kept | undefined, id: string): number | undefined {
  return kept?.id === id ? kept.costUsd : undefined;
}

/** Records once that the agent has the prompt: at its first update, or at the latest when the prompt ends. */
class Arrival {
  readonly #own: OwnConversation;
  readonly #kept: Kept;
  #storing: Promise<void> | undefined;

  constructor(own: OwnConversation, kept: Kept) {
    this.#own = own;
    this.#kept = kept;
  }

  /** A failure is reported by `stored`. */
  note(): void {
    this.stored().catch(() => undefined);
  }

  stored(): Promise<void> {
    this.#storing ??= this.#store();
    return this.#storing;
  }

  async #store(): Promise<void> {
    if (!this.#own.hasArrived) await this.#own.arrived();
    await this.#own.write(JSON.stringify(this.#kept));
  }
}

function conclude(
  { text, hasSteps }: Answer,
  stopReason: StopReason,
  name: string,
  events: EventQueue,
  tokens: number | undefined,
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
      `The agent ${name} gave no answer. Ask again, or for something smaller.`,
    );
  // Without text, the steps were the answer.
  const content = text.trim() === "" ? "✅" : text;
  const finish_reason = stopReason === "end_turn" ? "stop" : "length";
  const counted = tokens ? { token_count: tokens } : {};
  events.push({ type: "message", message: { role: "assistant", content, finish_reason, ...counted } });
}
