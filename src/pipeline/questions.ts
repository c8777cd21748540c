import { canAsk } from "../adapters/adapter.js";
import { nowSeconds } from "../clock.js";
import { killPoint } from "../kill-point.js";
import { type Person, type Principal, type Target, targetOf } from "../message.js";
import { grantOf } from "../policies/approval.js";
import type { Choice } from "../question.js";
import type { SessionKey } from "../session.js";
import type { InboxRow, QuestionRow } from "../store/queues.js";
import { readChoice } from "../text/choices.js";
import { unlessAborted } from "../timeout.js";
import { askerOf } from "./asker.js";
import type { Context } from "./context.js";
import type { Lanes } from "./lanes.js";
import { decidedText } from "./question-message.js";

const CALL_TIMEOUT_MS = 10_000;
/** Decisions that couldn't be shown for so long stay invisible: their message may be gone. */
const MAX_UNSHOWN_SECONDS = 86_400;

/** The answer to a question, found in a message. */
export interface FoundAnswer {
  question: QuestionRow;
  choice: Choice | undefined;
}

type Answerer = Person & { userName: string | null; inboxId?: number };

/** Open questions: who may answer them, what an answer does, and how the chat sees it. */
export class Questions {
  readonly #context: Context;
  readonly #lanes: Lanes;
  /** As many as the store lists. */
  #open = new Map<string, QuestionRow>();
  /** Turns that wait in memory, by question. */
  readonly #waiting = new Map<string, (question: QuestionRow) => void>();
  #showing: Promise<void> = Promise.resolve();

  constructor(context: Context, lanes: Lanes) {
    this.#context = context;
    this.#lanes = lanes;
  }

  /** Reads the open questions, ends those that expired, and shows decisions that the chat doesn't see yet. */
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
    const question = await this.#context.store.getQuestion({ id });
    if (question?.state === "open") this.#open.set(id, question);
  }

  /** Resolves with the question once it is decided. A turn that can't be suspended waits for it in memory. */
  async decision(id: string, signal: AbortSignal): Promise<QuestionRow> {
    const decided = new Promise<QuestionRow>((resolve) => this.#waiting.set(id, resolve));
    try {
      await this.asked(id);
      return await unlessAborted(decided, signal);
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** It needs no answer any more. */
  async end(id: string, state: "expired" | "withdrawn"): Promise<void> {
    await this.#decide(id, { state });
  }

  /** Whether a message answers a question, and which. Undefined: it doesn't. */
  async answerIn(row: InboxRow): Promise<FoundAnswer | undefined> {
    const { choice, text, task, request } = row.message;
    if (choice) {
      const question = await this.#context.store.getQuestion({ id: choice.questionId });
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
    // A crash came between the decision and what it does.
    if (question.answer?.inboxId === row.id) return "decided";
    const by = { ...principal, userName: row.message.origin.userName ?? null, inboxId: row.id };
    const isDecided = choice
      ? await this.decideAs(by, question, choice.id)
      : await this.#answerAs(by, question, undefined, row.message.text);
    return isDecided ? "decided" : "late";
  }

  /** In its session, and where owners are asked about other chats. */
  #askedIn({ sessionKey, message }: InboxRow): QuestionRow[] {
    const here = targetOf(message);
    return [...this.#open.values()].filter(
      ({ sessionKey: key, asked, target }) =>
        key === sessionKey || (asked === null && target !== null && isSamePlace(target, here)),
    );
  }

  /** Approvals that a turn of the session waits for. */
  approvalsIn(key: SessionKey): QuestionRow[] {
    return [...this.#open.values()].filter(
      ({ kind, sessionKey }) => kind === "approval" && sessionKey === key,
    );
  }

  /** Those that this person may decide: in this session first, oldest first. */
  approvalsFor(principal: Principal, key: SessionKey): QuestionRow[] {
    const open = [...this.#open.values()].filter(
      (question) => question.kind === "approval" && mayAnswer(question, principal),
    );
    return open.toSorted((a, b) => Number(b.sessionKey === key) - Number(a.sessionKey === key));
  }

  /** False: it was decided already. */
  async decideAs(by: Answerer, question: QuestionRow, choiceId: string): Promise<boolean> {
    const label = question.choices.find(({ id }) => id === choiceId)?.label ?? choiceId;
    return this.#answerAs(by, question, choiceId, label);
  }

  #answerAs(
    { platform, userId, userName, inboxId }: Answerer,
    question: QuestionRow,
    choiceId: string | undefined,
    text: string,
  ): Promise<boolean> {
    const answer = { choiceId, text, by: { platform, userId, userName }, at: nowSeconds(), inboxId };
    const grant = question.kind === "approval" ? grantOf(choiceId) : undefined;
    return this.#decide(question.id, { state: "answered", answer, grant });
  }

  async idle(): Promise<void> {
    await this.#showing;
  }

  async #decide(id: string, decision: Parameters<Context["store"]["decideQuestion"]>[1]): Promise<boolean> {
    const result = await this.#context.store.decideQuestion(id, decision);
    killPoint("question-decided");
    this.#open.delete(id);
    if (result?.decided) this.#lanes.resume(result.question.sessionKey);
    if (result) this.#waiting.get(id)?.(result.question);
    void this.#show();
    return result?.decided ?? false;
  }

  async #wake(id: string): Promise<void> {
    const question = await this.#context.store.getQuestion({ id });
    if (question && question.state !== "open") this.#waiting.get(id)?.(question);
  }

  /** Never rejects. One at a time: a decision is shown once. */
  #show(): Promise<void> {
    this.#showing = this.#showing
      .then(() => this.#showAll())
      .catch((error: unknown) => {
        this.#context.log.warn({ err: error }, "decisions can't be shown");
      });
    return this.#showing;
  }

  async #showAll(): Promise<void> {
    const { store, owners } = this.#context;
    for (const question of await store.listQuestions("unshown", owners)) {
      if (!(await this.#showOne(question))) continue;
      await store.decisionShown(question.id);
    }
  }

  /** False: later. */
  async #showOne(question: QuestionRow): Promise<boolean> {
    const { target, messageIds, answer, createdAt } = question;
    const isOld = nowSeconds() - (answer?.at ?? createdAt) > MAX_UNSHOWN_SECONDS;
    const adapter = target && this.#context.adapterFor(target);
    if (isOld || !target || !adapter || !canAsk(adapter)) return true;
    if (messageIds.length === 0) return false;
    const { stopping, log } = this.#context;
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(CALL_TIMEOUT_MS)]);
    try {
      await adapter.settleQuestion(target, messageIds, decidedText(question), signal);
      return true;
    } catch (error) {
      log.debug({ err: error, question: question.id }, "a decision isn't shown yet");
      return (error as { outcome?: string }).outcome === "refused";
    }
  }
}

function isSamePlace(one: Target, other: Target): boolean {
  const { platform, chatId, threadId } = one;
  return platform === other.platform && chatId === other.chatId && threadId === other.threadId;
}

/** The person who was asked, and owners. */
export function mayAnswer({ asked }: QuestionRow, { platform, userId, owner }: Principal): boolean {
  return owner === true || (asked?.platform === platform && asked.userId === userId);
}
