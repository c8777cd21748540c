/** A question to a person, with choices: buttons where the platform has them, a numbered list elsewhere. */

export interface Choice {
  /** Short: platforms limit the data of a button to 64 bytes, the question's id included. */
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
