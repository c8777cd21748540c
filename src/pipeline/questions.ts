import { canAsk } from "../adapters/adapter.js";
import { nowSeconds } from "../clock.js";
import { killPoint } from "../kill-point.js";
import { type Person, type Principal, type Target, targetOf } from "../message.js";
import { grantOf } from "../policies/approval.js";
import type { Choice } from "../question.js";
import type { SessionKey } from "../session.js";
import type { InboxRow, QuestionDecision, QuestionRow } from "../store/queues.js";
import { readChoice } from "../text/choices.js";
import { unlessAborted, withSignal } from "../timeout.js";
import { askerOf } from "./asker.js";
import type { Context } from "./context.js";
import type { Lanes } from "./lanes.js";
import { decidedText } from "./question-message.js";

const CALL_TIMEOUT_MS = 10_000;
/** Decisions that couldn't be shown for this long are dropped: their message may be gone. */
const MAX_UNSHOWN_SECONDS = 86_400;

/** An answer to a question, found in a message. */
export interface FoundAnswer {
  question: QuestionRow;
  choice: Choice | undefined;
}

/** One of the choices, or other words where the question takes them. */
export type GivenAnswer = { choiceId: string } | { text: string };

type Answerer = Person & { userName: string | null; inboxId?: number };

/** Open questions: who may answer them, what an answer does, and how the chat shows it. */
export class Questions {
  readonly #context: Context;
  readonly #lanes: Lanes;
  /** At most as many as the store lists. */
  #open = new Map<string, QuestionRow>();
  /** Turns waiting in memory, by question. */
  readonly #waiting = new Map<string, (question: QuestionRow) => void>();
  #showing: Promise<void> = Promise.resolve();

  constructor(context: Context, lanes: Lanes) {
    this.#context = context;
    this.#lanes = lanes;
  }

  /** Reads the open questions, ends expired ones, and shows decisions the chat hasn't seen yet. */
  async refresh(): Promise<void> {
    const { store, owners } = this.#context;
    const open = await store.listQuestions("open", owners);
    this.#open = new Map(open.map((question) => [question.id, question]));
    for (const { id, secondsLeft } of open)
      if (secondsLeft <= 0) await this.#decide(id, { state: "expired" });
    // Another process may have decided them.
    for (const id of this.#waiting.keys()) if (!this.#open.has(id)) await this.#wake(id);
    await this.#show();
  }

  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  in(key: SessionKey): QuestionRow[] {
    return [...this.#open.values()].filter(({ sessionKey }) => sessionKey === key);
  }

  async asked(id: string): Promise<void> {
    const [question] = await this.#context.store.listQuestions({ id });
    if (question?.state === "open") this.#open.set(id, question);
  }

  /** Resolves when the question is decided, for turns that can't be suspended and wait in memory. */
  async decision(id: string, signal: AbortSignal): Promise<QuestionRow> {
    const decided = new Promise<QuestionRow>((resolve) => this.#waiting.set(id, resolve));
    try {
      await this.asked(id);
      return await unlessAborted(decided, signal);
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** The question needs no answer any more. False if it was already decided. */
  end(id: string, state: "expired" | "withdrawn"): Promise<boolean> {
    return this.#decide(id, { state });
  }

  /** The question that a message answers, if any. */
  async answerIn(row: InboxRow): Promise<FoundAnswer | undefined> {
    const { choice, text, task, request } = row.message;
    if (choice) {
      const [question] = await this.#context.store.listQuestions({ id: choice.questionId });
      const chosen = question?.choices.find(({ id }) => id === choice.choiceId);
      return question && chosen ? { question, choice: chosen } : undefined;
    }
    if (this.#open.size === 0 || task || request) return undefined;
    const { principal } = askerOf(row.message, this.#context);
    for (const question of this.#askedIn(row)) {
      if (!mayAnswer(question, principal)) continue;
      const chosen = readChoice(text, question.choices);
      if (chosen || question.acceptsText) return { question, choice: chosen };
    }
    return undefined;
  }

  async answer({ question, choice }: FoundAnswer, row: InboxRow): Promise<"decided" | "late" | "refused"> {
    const { principal } = askerOf(row.message, this.#context);
    if (!mayAnswer(question, principal)) return "refused";
    // A crash came between the decision and its effect.
    if (question.answer?.inboxId === row.id) return "decided";
    const by = { ...principal, userName: row.message.origin.userName ?? null, inboxId: row.id };
    const given = choice ? { choiceId: choice.id } : { text: row.message.text };
    return (await this.decideAs(by, question, given)) ? "decided" : "late";
  }

  /** Looks in the session, and in the chat where owners are asked about other chats. */
  #askedIn({ sessionKey, message }: InboxRow): QuestionRow[] {
    const here = targetOf(message);
    return [...this.#open.values()].filter(
      ({ sessionKey: key, asked, target }) =>
        key === sessionKey || (asked === null && target !== null && isSameChat(target, here)),
    );
  }

  /** Approvals that turns of the session wait for. */
  approvalsIn(key: SessionKey): QuestionRow[] {
    return [...this.#open.values()].filter(
      ({ kind, sessionKey }) => kind === "approval" && sessionKey === key,
    );
  }

  /** Those this person may decide: this session's first, oldest first. */
  approvalsFor(principal: Principal, key: SessionKey): QuestionRow[] {
    const open = [...this.#open.values()].filter(
      (question) => question.kind === "approval" && mayAnswer(question, principal),
    );
    return open.toSorted((a, b) => Number(b.sessionKey === key) - Number(a.sessionKey === key));
  }

  /** False if it was already decided. */
  decideAs(
    { platform, userId, userName, inboxId }: Answerer,
    question: QuestionRow,
    given: GivenAnswer,
  ): Promise<boolean> {
    const choiceId = "choiceId" in given ? given.choiceId : undefined;
    const chosen = question.choices.find(({ id }) => id === choiceId);
    const text = "text" in given ? given.text : (chosen?.label ?? given.choiceId);
    const answer = { choiceId, text, by: { platform, userId, userName }, at: nowSeconds(), inboxId };
    const grant = question.kind === "approval" ? grantOf(choiceId) : undefined;
    return this.#decide(question.id, { state: "answered", answer, grant });
  }

  async idle(): Promise<void> {
    await this.#showing;
  }

  async #decide(id: string, decision: QuestionDecision): Promise<boolean> {
    const result = await this.#context.store.decideQuestion(id, decision);
    killPoint("question-decided");
    this.#open.delete(id);
    if (result?.decided) this.#lanes.resume(result.question.sessionKey);
    if (result) this.#waiting.get(id)?.(result.question);
    void this.#show();
    return result?.decided ?? false;
  }

  async #wake(id: string): Promise<void> {
    const [question] = await this.#context.store.listQuestions({ id });
    if (question && question.state !== "open") this.#waiting.get(id)?.(question);
  }

  /** Never rejects. Runs one at a time, so that a decision is shown once. */
  #show(): Promise<void> {
    this.#showing = this.#showing
      .then(() => this.#showAll())
      .catch((error: unknown) => {
        this.#context.log.warn({ err: error }, "could not show decisions");
      });
    return this.#showing;
  }

  async #showAll(): Promise<void> {
    const { store, owners } = this.#context;
    for (const question of await store.listQuestions("unshown", owners)) {
      if (!(await this.#showOne(question))) continue;
      await store.decideQuestion(question.id, "shown");
    }
  }

  /** False if it must be retried later. */
  async #showOne(question: QuestionRow): Promise<boolean> {
    const { target, messageIds, answer, createdAt } = question;
    const isOld = nowSeconds() - (answer?.at ?? createdAt) > MAX_UNSHOWN_SECONDS;
    const adapter = target && this.#context.adapterFor(target);
    if (isOld || !target || !adapter || !canAsk(adapter)) return true;
    if (messageIds.length === 0) return false;
    const { stopping, log } = this.#context;
    try {
      await withSignal({ signals: [stopping], ms: CALL_TIMEOUT_MS }, (signal) =>
        adapter.settleQuestion(target, messageIds, decidedText(question), signal),
      );
      return true;
    } catch (error) {
      log.debug({ err: error, question: question.id }, "could not show a decision yet");
      return (error as { outcome?: string }).outcome === "refused";
    }
  }
}

function isSameChat(one: Target, other: Target): boolean {
  const { platform, chatId, threadId } = one;
  return platform === other.platform && chatId === other.chatId && threadId === other.threadId;
}

/** The person who was asked, and owners. */
export function mayAnswer({ asked }: QuestionRow, { platform, userId, owner }: Principal): boolean {
  return owner === true || (asked?.platform === platform && asked.userId === userId);
}
