/** A question to a person, with choices: buttons where the platform has them, a numbered list elsewhere. */

export interface Choice {
  /** At most 40 characters, `[A-Za-z0-9_.-]` only: platforms limit the data of a button to 64 bytes. */
  id: string;
  label: string;
  style?: "primary" | "danger";
}

/** The choices of an outbound message that asks something. */
export interface OutboundQuestion {
  /** At most 16 characters, `[a-z0-9]` only. */
  id: string;
  choices: readonly Choice[];
}

/** A pressed button. */
export interface PressedChoice {
  questionId: string;
  choiceId: string;
}
