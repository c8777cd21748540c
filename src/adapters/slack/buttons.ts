/** The choices of a question → Slack's blocks. Pure. */
import type { OutboundQuestion } from "../../question.js";
import { buttonsOf } from "../kit/buttons.js";

export const MAX_CHOICES = 25;
const LABEL_CHARS = 75;

/** Undefined if there is nothing to choose. */
export function actionsOf(question: OutboundQuestion): object | undefined {
  const buttons = buttonsOf(question, { maxChoices: MAX_CHOICES, labelChars: LABEL_CHARS });
  if (buttons.length === 0) return undefined;
  return {
    type: "actions",
    elements: buttons.map(({ label, data, style }) => ({
      type: "button",
      action_id: data,
      text: { type: "plain_text", text: label, emoji: false },
      ...(style ? { style } : {}),
    })),
  };
}
