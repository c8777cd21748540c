import type { AgentQuestion } from "../agents/backend.js";
import { approvalFor } from "../policies/approval.js";
import { approvalSettingsOf } from "../rules.js";
import type { NewQuestion } from "../store/queues.js";
import type { Context } from "./context.js";
import type { Delivery } from "./deliver.js";
import type { Lanes } from "./lanes.js";
import { newQuestionId, questionMessage } from "./question-message.js";
import type { Questions } from "./questions.js";
import type { Turn } from "./turn.js";

export interface AgentQuestionStages {
  questions: Questions;
  lanes: Lanes;
  delivery: Delivery;
}

/**
 * Questions from agents that run in another program. Their turns can't be suspended, so they wait in memory.
 * The question is stored and answered like any other. After a crash it is withdrawn, and the agent may ask
 * again.
 */
export class AgentQuestions {
  readonly #context: Context;
  readonly #stages: AgentQuestionStages;

  constructor(context: Context, stages: AgentQuestionStages) {
    this.#context = context;
    this.#stages = stages;
  }

  /** Resolves with the choice, or undefined for no. */
  async ask(turn: Turn, question: AgentQuestion, signal: AbortSignal): Promise<string | undefined> {
    const { store, config } = this.#context;
    const { about, allow } = question;
    const granted = await store.grants({ person: turn.principal, sessionId: turn.session.id });
    // A program that waits for a reply can't answer questions.
    const unattended = turn.unattended ?? (turn.isRequest ? "other" : undefined);
    const asked = { tool: about, ask: "always" as const, granted, unattended };
    const approval = approvalFor(asked, approvalSettingsOf(config));
    if (approval.to !== "ask") return approval.to === "run" ? allow : undefined;
    return this.#answer(await this.#questionFor(turn, question), signal);
  }

  /** Withdraws questions of an earlier attempt: their answers are no longer needed. */
  async withdraw({ key }: Turn): Promise<void> {
    const { questions } = this.#stages;
    for (const { id } of questions.approvalsIn(key)) await questions.end(id, "withdrawn");
  }

  async #answer(question: NewQuestion, signal: AbortSignal): Promise<string | undefined> {
    const { questions, lanes, delivery } = this.#stages;
    const { id, timeoutSeconds } = question;
    signal.throwIfAborted();
    await this.#context.store.askQuestion(question);
    delivery.wake();
    const late = AbortSignal.timeout(timeoutSeconds * 1000);
    const goOn = lanes.lendPlace();
    try {
      const { state, answer } = await questions.decision(id, AbortSignal.any([signal, late]));
      return state === "answered" ? answer?.choiceId : undefined;
    } catch {
      // Stopped, or not answered in time.
      await questions.end(id, signal.aborted ? "withdrawn" : "expired");
      return undefined;
    } finally {
      goOn();
    }
  }

  async #questionFor(turn: Turn, { text, choices }: AgentQuestion): Promise<NewQuestion> {
    const { config } = this.#context;
    const { principal, key, replyTarget } = turn;
    const id = newQuestionId();
    const inHome = config.approvals.ask_in === "home";
    const view = { id, text, choices };
    const message = await questionMessage(this.#context, replyTarget, view, inHome);
    const { platform, userId } = principal;
    return {
      ...{ id, kind: "approval" as const, sessionKey: key, text, choices, acceptsText: false, message },
      // Even without a home channel: then only owners can decide.
      asked: inHome ? null : { platform, userId },
      timeoutSeconds: config.approvals.timeout,
    };
  }
}
