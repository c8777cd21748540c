/** One prompt: its updates, its permission requests, and its end. */
import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Config } from "../../config/schema.js";
import { settlesWithin } from "../../timeout.js";
import type { TurnRequest } from "../backend.js";
import type { AgentProcess, PromptEnd } from "./agent-process.js";
import { Answer } from "./answer.js";
import type { EventQueue } from "./event-queue.js";
import { silent } from "./failures.js";
import { decidePermission, rejection } from "./permissions.js";
import { costIn } from "./usage.js";

export interface PromptSettings {
  name: string;
  policy: Config["acp"]["permissions"];
  quietSeconds: number;
  /** How long a cancelled prompt may take to end. */
  cancelMs: number;
}

/** Only these concern the prompt; others, such as command lists, may arrive at any time. */
const SIGNS: ReadonlySet<string> = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

interface PromptParts {
  setup: PromptSettings;
  request: TurnRequest;
  agentProcess: AgentProcess;
  id: string;
  signal: AbortSignal;
  events: EventQueue;
  /** The agent has sent an update, so it has the prompt. */
  arrived(): void;
}

export class PromptTurn {
  readonly answer = new Answer();
  /** Of its session so far, in USD, if it says so. */
  costUsd: number | undefined;
  readonly #parts: PromptParts;
  /** Why it is ended early. */
  readonly #over = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #questions = 0;

  constructor(parts: PromptParts) {
    this.#parts = parts;
  }

  async run(blocks: Parameters<AgentProcess["prompt"]>[1]): Promise<PromptEnd> {
    const { agentProcess, id, signal } = this.#parts;
    const stop = () => this.#over.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    const prompt = agentProcess.prompt(id, blocks, {
      update: (update) => this.#update(update),
      permission: (request) => this.#permission(request),
    });
    const cancel = () => void this.#cancel(prompt);
    this.#over.signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) stop();
    this.#watch();
    try {
      const end = await prompt;
      if (this.answer.isFull) return { ...end, stopReason: "max_tokens" };
      this.#over.signal.throwIfAborted();
      return end;
    } catch (error) {
      if (this.answer.isFull) return { stopReason: "max_tokens" };
      throw this.#over.signal.aborted ? this.#over.signal.reason : error;
    } finally {
      clearTimeout(this.#timer);
      signal.removeEventListener("abort", stop);
      // Questions that are still open end with it.
      this.#over.signal.removeEventListener("abort", cancel);
      this.#over.abort();
    }
  }

  #update(update: SessionUpdate): void {
    this.#watch();
    if (SIGNS.has(update.sessionUpdate)) this.#parts.arrived();
    this.costUsd = costIn(update) ?? this.costUsd;
    if (this.#over.signal.aborted) return;
    for (const event of this.answer.take(update)) this.#parts.events.push(event);
    if (this.answer.isFull) this.#over.abort(new Error("the answer is too long"));
  }

  async #permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    const { setup, request: turn } = this.#parts;
    const { principal, ask } = turn;
    this.#parts.arrived();
    const who = { agent: setup.name, owner: principal.owner === true };
    const decision = decidePermission(request, setup.policy, who);
    if (decision.to === "cancel") return CANCELLED;
    if (decision.to === "select") return selected(decision.optionId);
    // The agent waits while a person decides.
    this.#questions += 1;
    clearTimeout(this.#timer);
    try {
      const choice = await ask?.(decision.question, this.#over.signal);
      if (this.#over.signal.aborted) return CANCELLED;
      const optionId = decision.optionOf(choice);
      return optionId === undefined ? CANCELLED : selected(optionId);
    } catch {
      // No decision counts as a refusal.
      const optionId = rejection(request.options);
      return optionId === undefined || this.#over.signal.aborted ? CANCELLED : selected(optionId);
    } finally {
      this.#questions -= 1;
      this.#watch();
    }
  }

  /** Ends a silent prompt. */
  #watch(): void {
    clearTimeout(this.#timer);
    const { quietSeconds, name } = this.#parts.setup;
    if (this.#questions > 0 || this.#over.signal.aborted) return;
    const ms = Math.min(quietSeconds * 1000, 2 ** 31 - 1);
    this.#timer = setTimeout(() => this.#over.abort(silent(name, quietSeconds)), ms);
  }

  /** Kills an agent that doesn't end its prompt. */
  async #cancel(prompt: Promise<unknown>): Promise<void> {
    const { agentProcess, id, setup } = this.#parts;
    const isOver = settlesWithin(prompt, setup.cancelMs);
    await settlesWithin(agentProcess.cancel(id), setup.cancelMs);
    if (!(await isOver)) await agentProcess.kill();
  }
}

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

function selected(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: "selected", optionId } };
}
