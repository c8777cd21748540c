/** A question's choices → buttons, and a pressed button → the choice. Pure. */
import type { Choice, OutboundQuestion, PressedChoice } from "../../question.js";
import { shortLabel } from "../../text/choices.js";

export interface Button {
  /** The button's payload: at most 64 bytes. */
  data: string;
  label: string;
  style?: Choice["style"];
}

const PRESS = /^q:([a-z0-9]{1,16}):([\w.-]{1,40})$/;

/** Omits choices over the limit and ids that don't fit into a button. */
export function buttonsOf(
  { id, choices }: OutboundQuestion,
  { maxChoices, labelChars }: { maxChoices: number; labelChars: number },
): Button[] {
  return choices
    .slice(0, maxChoices)
    .map((choice) => ({
      data: `q:${id}:${choice.id}`,
      label: shortLabel(choice.label, labelChars) || choice.id,
      ...(choice.style ? { style: choice.style } : {}),
    }))
    .filter(({ data }, i, all) => PRESS.test(data) && all.findIndex((other) => other.data === data) === i);
}

/** Undefined if the button isn't ours. */
export function readPress(data: unknown): PressedChoice | undefined {
  const [, questionId, choiceId] = (typeof data === "string" && PRESS.exec(data)) || [];
  return questionId === undefined || choiceId === undefined ? undefined : { questionId, choiceId };
}
