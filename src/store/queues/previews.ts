import type { Target } from "../../message.js";
import type { SessionKey } from "../../session.js";
import type { TraceId } from "../../trace-id.js";
import type { Owners } from "./owners.js";

/** Messages that show an answer while it is being written. */
export interface Previews {
  /** Records that a preview is about to be posted. False if an earlier reply in the session is still pending. */
  beginPreview(inboxId: number): Promise<boolean>;
  /**
   * Stores the id of a preview that was posted, or was found for a reply that looks for it; null: it was never posted. False
   * if the message previews another answer.
   */
  namePreview(preview: PreviewRef, messageId: string | null): Promise<boolean>;
  /** Deletes the record of an abandoned preview, unless its message waits again. */
  settlePreview(inboxId: number): Promise<void>;
  /** Previews whose turn ended without an answer in their place, at most a hundred, newest first. */
  leftPreviews(which: LeftPreviews, owners?: Owners): Promise<LeftPreview[]>;
}

/** The preview for a message, or the one that a reply replaces. `found`: its id was lost and looked up. */
export type PreviewRef = { inboxId: number; found?: true } | { outboxId: number };

export interface LeftPreviews {
  /** Skips turns that ended earlier. */
  since: number;
  sessionKey?: SessionKey;
}

/** A preview whose answer never came. */
export interface LeftPreview {
  inboxId: number;
  traceId: TraceId;
  /** Where the answer would have gone. */
  target: Target;
  /** Null: it may have been posted, but its id is unknown. */
  messageId: string | null;
  /** The part that was shown; empty: unknown, or not much. */
  text: string;
}
