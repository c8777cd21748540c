import type { Target } from "../../message.js";
import type { SessionKey } from "../../session.js";
import type { TraceId } from "../../trace-id.js";
import type { Owners } from "./owners.js";

/** Messages that show an answer while it is being written. */
export interface Previews {
  /** Stores one step of a preview. False if the step isn't allowed or the caller lost its claim. */
  recordPreview(step: PreviewStep): Promise<boolean>;
  /** Previews whose turn ended without an answer to replace them, newest first, at most a hundred. */
  leftPreviews(which: LeftPreviews, owners?: Owners): Promise<LeftPreview[]>;
}

export type PreviewStep =
  /** It is about to be posted. Also false if an earlier reply in the session is still pending. */
  | ({ step: "begin" } & PreviewClaim)
  /** It was posted with this id; null if it was never posted. */
  | ({ step: "posted"; messageId: string | null } & PreviewClaim)
  /** Its lost id was looked up after its turn ended; null if the message doesn't exist. False if it shows another answer. */
  | { step: "found"; inboxId: number; messageId: string | null; owners: Owners | undefined }
  /** The same for an answer that this boot is sending and that replaces the preview. */
  | { step: "replaced"; outboxId: number; messageId: string; bootId: string }
  /** Deletes the record after the turn has ended. False if its message is waiting again. */
  | { step: "settled"; inboxId: number; owners: Owners | undefined };

/** The turn that shows the preview. Its claim lasts until another turn or process takes its message. */
export interface PreviewClaim {
  inboxId: number;
  turnId: string;
  bootId: string;
}

export interface LeftPreviews {
  /** Skips turns that ended before this time. */
  since: number;
  sessionKey?: SessionKey;
}

/** A preview whose answer never came. */
export interface LeftPreview {
  inboxId: number;
  traceId: TraceId;
  /** Where the answer would have gone. */
  target: Target;
  /** Null if it may have been posted with an unknown id. */
  messageId: string | null;
  /** The text shown so far; empty if unknown or too short to keep. */
  text: string;
}
