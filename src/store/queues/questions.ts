import type { Person, Target } from "../../message.js";
import type { Choice } from "../../question.js";
import type { SessionKey } from "../../session.js";
import type { NewReply } from "./outbox.js";
import type { Owners } from "./owners.js";

/** Questions to people. Each is answered once, by a person who may, or expires. */
export interface Questions {
  /**
   * Stores a question and its message. With a turn, its messages wait until the question is answered or expires, and nothing
   * happens if the turn has lost them. False: it isn't asked.
   */
  askQuestion(question: NewQuestion, turn?: SuspendedTurn): Promise<boolean>;
  getQuestion(which: { id: string } | { callId: string }): Promise<QuestionRow | undefined>;
  /** Those that wait for an answer, or those whose message doesn't show the decision yet; at most a thousand. */
  listQuestions(which: "open" | "unshown", owners?: Owners): Promise<QuestionRow[]>;
  /**
   * Open → answered, expired or withdrawn. The turn that waits for it continues. Returns it as it is now; `decided` is true only
   * for the call that decided it.
   */
  decideQuestion(
    id: string,
    decision: QuestionDecision,
  ): Promise<{ question: QuestionRow; decided: boolean } | undefined>;
  /** The message shows the decision, or never will. */
  decisionShown(id: string): Promise<void>;
}

/** What it is about: a tool call that needs approval, a question of the agent, a command to confirm or complete. */
export type QuestionKind = "approval" | "clarify" | "command";
export type QuestionState = "open" | "answered" | "expired" | "withdrawn";

export interface NewQuestion {
  id: string;
  kind: QuestionKind;
  sessionKey: SessionKey;
  text: string;
  choices: readonly Choice[];
  /** The next message of the person answers it too. */
  acceptsText: boolean;
  /** Who is asked; owners may always answer. Null: owners only. */
  asked: Person | null;
  /** The call that waits for it. */
  callId?: string | undefined;
  /** What an answer runs, for `command`: by choice. */
  commands?: Readonly<Record<string, string>> | undefined;
  timeoutSeconds: number;
  /** The message that shows it. */
  message: NewReply;
}

export interface SuspendedTurn {
  turnId: string;
  /** What was shown of the answer so far. */
  said: string;
}

export interface QuestionRow extends Omit<NewQuestion, "message" | "timeoutSeconds"> {
  state: QuestionState;
  /** Where it was asked; null: its message is gone. */
  target: Target | null;
  createdAt: number;
  /** Seconds until it expires, when it was read. */
  secondsLeft: number;
  answer: QuestionAnswer | null;
  /** The platform's ids of its message, once it was sent. */
  messageIds: readonly string[];
}

export interface QuestionAnswer {
  /** The message that gave it. It is settled with the decision, or runs the command of its choice: after a crash too, once. */
  inboxId?: number | undefined;
  choiceId?: string | undefined;
  text: string;
  by: Person & { userName: string | null };
  at: number;
}

export type QuestionDecision =
  /** `grant`: the approval is remembered, for the person on whose behalf the call runs or for its session. */
  | { state: "answered"; answer: QuestionAnswer; grant?: "person" | "session" | undefined }
  | { state: "expired" }
  | { state: "withdrawn" };
