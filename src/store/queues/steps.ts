import type { Person } from "../../message.js";
import type { NewMessage, SessionId, SessionKey } from "../../session.js";
import type { Author } from "./inbox.js";

/** The journal of a running turn: after a crash it continues where it stopped. */
export interface Steps {
  /**
   * Records what the turn did since its last step, before it goes on. Completed steps reset the count of attempts. False: the
   * turn has lost its messages and must stop.
   */
  recordStep(step: TurnStep): Promise<boolean>;
  /** Approves every tool (`*`) in a session; null: no longer. */
  setSessionGrant(sessionId: SessionId, grantedBy: string | null): Promise<void>;
  /** Approvals that are remembered for this person, or in this session. */
  grants(person: Person, sessionId: SessionId): Promise<ToolGrant[]>;
}

export interface TurnStep {
  turnId: string;
  bootId: string;
  /** The position of the first entry in the journal. A repeated call adds nothing. */
  position: number;
  entries: readonly StepEntry[];
  /** Calls of the last entry, before any of them runs. */
  calls?: readonly NewToolCall[];
  /** On whose behalf they run. */
  caller?: ToolCaller;
  ended?: readonly EndedToolCall[];
  /** The call that runs next. */
  starting?: string | undefined;
}

export interface StepEntry {
  message: NewMessage;
  /** What the model request that gave this message used. Plain JSON. */
  usage?: object | undefined;
  /** The message was added to the running turn: its row belongs to the turn from now on. */
  inboxId?: number | undefined;
}

export interface NewToolCall {
  /** Unique for ever: tools get it as the idempotency key. */
  id: string;
  /** The model's own id of the call. */
  callId: string;
  tool: string;
  arguments: string;
}

export interface ToolCaller extends Author {
  sessionKey: SessionKey;
  sessionId: SessionId;
  /** Of the chat. */
  chatId: string | null;
}

export type ToolCallState =
  /** Its turn has recorded it; perhaps it waits for an approval. */
  | "waiting"
  | "running"
  | "done"
  | "failed"
  | "denied"
  /** A crash interrupted it, and it can't be repeated. */
  | "unknown"
  /** Its turn ended before it. */
  | "stopped";

export interface EndedToolCall {
  id: string;
  state: Exclude<ToolCallState, "waiting" | "running">;
  /** The beginning of the result. */
  result: string;
  /** Who approved or denied it; undefined: it needed no approval. */
  decidedBy?: string | undefined;
}

export interface ToolCallRow extends NewToolCall, ToolCaller {
  turnId: string;
  state: ToolCallState;
  result: string | null;
  decidedBy: string | null;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
}

/** An approval that is remembered: for a person everywhere, or for a session. */
export interface ToolGrant {
  tool: string;
  scope: "person" | "session";
}

/** What an interrupted turn has done. */
export interface RecordedSteps {
  entries: StepEntry[];
  /** Of the last entry with calls. */
  calls: ToolCallRow[];
}
