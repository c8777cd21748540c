import type { Person, Target } from "../../message.js";
import type { Choice } from "../../question.js";
import type { SessionKey } from "../../session.js";
import type { NewReply } from "./outbox.js";
import type { Owners } from "./owners.js";

/** Questions to people. Each is answered once, by an authorised person, or expires. */
export interface Questions {
  /**
   * Stores a question and its message. With a turn, the turn's messages wait until the question is answered
   * or expires. Returns false and does nothing if the turn lost its messages.
   */
  askQuestion(question: NewQuestion, turn?: SuspendedTurn): Promise<boolean>;
  /**
   * Open questions, or decided ones whose message doesn't show the decision yet, at most a thousand; or the one with this id or of
   * this tool call.
   */
  listQuestions(which: QuestionQuery, owners?: Owners): Promise<QuestionRow[]>;
  /**
   * Open → answered, expired or withdrawn; the waiting turn continues. Returns the current question;
   * `decided` is true only for the call that decided it. `shown`: the message of a decided question shows the
   * decision, or never will.
   */
  decideQuestion(
    id: string,
    decision: QuestionDecision | "shown",
  ): Promise<{ question: QuestionRow; decided: boolean } | undefined>;
}

/** Its subject: a tool call to approve, a question from the agent, or a command to confirm or complete. */
export type QuestionKind = "approval" | "clarify" | "command";
export type QuestionState = "open" | "answered" | "expired" | "withdrawn";

export interface NewQuestion {
  id: string;
  kind: QuestionKind;
  sessionKey: SessionKey;
  text: string;
  choices: readonly Choice[];
  /** The person's next message also counts as the answer. */
  acceptsText: boolean;
  /** Who may answer, besides owners. Null for owners only. */
  asked: Person | null;
  /** The waiting tool call. */
  callId?: string | undefined;
  /** For `command`: what each choice runs. */
  commands?: Readonly<Record<string, string>> | undefined;
  timeoutSeconds: number;
  /** The message that shows it. */
  message: NewReply;
}

export interface SuspendedTurn {
  turnId: string;
  /** The part of the answer shown so far. */
  said: string;
}

export type QuestionQuery = "open" | "unshown" | { id: string } | { callId: string };

export interface QuestionRow extends Omit<NewQuestion, "asked" | "message" | "timeoutSeconds"> {
  asked: (Person & { userName: string | null }) | null;
  state: QuestionState;
  /** Where it was asked; null if its message is gone. */
  target: Target | null;
  createdAt: number;
  /** Seconds until it expires, when it was read. */
  secondsLeft: number;
  answer: QuestionAnswer | null;
  /** The platform's ids of its message, once it was sent. */
  messageIds: readonly string[];
}

export interface QuestionAnswer {
  /** The message with the answer. It is settled with the decision, or runs the chosen command once, even after a crash. */
  inboxId?: number | undefined;
  choiceId?: string | undefined;
  text: string;
  by: Person & { userName: string | null };
  at: number;
}

export type QuestionDecision =
  /** `grant`: remembers the approval for the call's principal or its session. */
  | { state: "answered"; answer: QuestionAnswer; grant?: "person" | "session" | undefined }
  | { state: "expired" }
  | { state: "withdrawn" };
