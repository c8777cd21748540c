import type { Target } from "../../message.js";
import type { SessionKey } from "../../session.js";
import type { TraceId } from "../../trace-id.js";
import type { Owners } from "./owners.js";

/** Messages that show an answer while it is being written. */
export interface Previews {
  /** Stores one step of a preview. False if the step isn't allowed, or if the caller has no claim to the preview any more. */
  recordPreview(step: PreviewStep): Promise<boolean>;
  /** Previews whose turn ended without an answer in their place, at most a hundred, newest first. */
  leftPreviews(which: LeftPreviews, owners?: Owners): Promise<LeftPreview[]>;
}

export type PreviewStep =
  /** It is about to be posted. False as well if an earlier reply in the session is still pending. */
  | ({ step: "begin" } & PreviewClaim)
  /** It was posted under this id; null: it was never posted. */
  | ({ step: "posted"; messageId: string | null } & PreviewClaim)
  /** Its turn is over, its id was lost and has been looked up; null: it isn't there. False if it shows another answer. */
  | { step: "found"; inboxId: number; messageId: string | null; owners: Owners | undefined }
  /** The same for an answer that this boot is sending: the answer replaces it. */
  | { step: "replaced"; outboxId: number; messageId: string; bootId: string }
  /** Its turn is over and it needs nothing more: its record is deleted. False if its message waits again. */
  | { step: "settled"; inboxId: number; owners: Owners | undefined };

/** The turn that shows the preview. It has a claim as long as no other turn, and no other process, took its message. */
export interface PreviewClaim {
  inboxId: number;
  turnId: string;
  bootId: string;
}

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
