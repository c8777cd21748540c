import type { Person } from "../../message.js";
import type { NewMessage, SessionId, SessionKey } from "../../session.js";
import type { Author } from "./inbox.js";

/** The journal of a running turn, which resumes there after a crash. */
export interface Steps {
  /**
   * Records what the turn did since its last step, before it continues. Completed steps reset the attempt
   * count. False if the turn lost its messages and must stop.
   */
  recordStep(step: TurnStep): Promise<boolean>;
  /** Remembers an approval of a tool, or of every tool (`*`); null: no longer. False: nothing changed. */
  setGrant(to: GrantSubject, tool: string, grantedBy: string | null): Promise<boolean>;
  /** Approvals that are remembered for this person, or in this session; left out: all, the newest first, at most a thousand. */
  grants(of?: { person: Person; sessionId: SessionId }): Promise<ToolGrant[]>;
}

export interface TurnStep {
  turnId: string;
  bootId: string;
  /** Position of the first entry in the journal, which makes repeated calls harmless. */
  position: number;
  entries: readonly StepEntry[];
  /** Calls of the last entry, before any of them runs. */
  calls?: readonly NewToolCall[];
  /** Their principal. */
  caller?: ToolCaller;
  ended?: readonly EndedToolCall[];
  /** The call that runs next. */
  starting?: string | undefined;
  /** A nested call: not progress of the turn, because a restart repeats it. */
  isNested?: true;
}

export interface StepEntry {
  message: NewMessage;
  /** Usage of the model request that produced this message. Plain JSON. */
  usage?: object | undefined;
  /** The inbox row of a message that joined the running turn. It belongs to the turn from now on. */
  inboxId?: number | undefined;
}

export interface NewToolCall {
  /** Globally unique: tools get it as their idempotency key. */
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
  /** Recorded by its turn; it may be waiting for an approval. */
  | "waiting"
  | "running"
  | "done"
  | "failed"
  | "denied"
  /** Interrupted by a crash and not repeatable. */
  | "unknown"
  /** Its turn ended before it started. */
  | "stopped";

export interface EndedToolCall {
  id: string;
  state: Exclude<ToolCallState, "waiting" | "running">;
  /** The beginning of the result. */
  result: string;
  /** Who approved or denied it; undefined if it needed no approval. */
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

/** A remembered approval: for a person everywhere, or for one session. */
export interface ToolGrant {
  tool: string;
  scope: "person" | "session";
  to: GrantSubject;
  /** `platform:user id`. */
  grantedBy: string;
  at: number;
  /** Of the person, and of who granted it. Only if all are listed. */
  names?: { person: string | null; grantedBy: string | null };
}

export type GrantSubject = { person: Person } | { sessionId: SessionId };

/** What an interrupted turn has done. */
export interface RecordedSteps {
  entries: StepEntry[];
  /** Calls of the last entry that has any. */
  calls: ToolCallRow[];
}
