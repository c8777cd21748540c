/** The choices of a question as WhatsApp shows them: three buttons, or a list of ten rows. Pure. */

import type { OutboundQuestion } from "../../question.js";
import { shortLabel } from "../../text/choices.js";
import { buttonsOf } from "../kit/buttons.js";

export interface Row {
  /** What WhatsApp sends back. */
  id: string;
  title: string;
  /** The label, where the title is too short for it. */
  description?: string;
}

export const MAX_CHOICES = 10;
const MAX_BUTTONS = 3;
const BUTTON_CHARS = 20;
const ROW_CHARS = 24;
const DESCRIPTION_CHARS = 72;

export function rowsOf(question: OutboundQuestion): Row[] {
  return buttonsOf(question, { maxChoices: MAX_CHOICES, labelChars: DESCRIPTION_CHARS }).map(
    ({ data, label }) => {
      const title = shortLabel(label, ROW_CHARS);
      return { id: data, title, ...(title === label ? {} : { description: label }) };
    },
  );
}

/** Buttons where all labels fit on them, else a list that opens at a tap. */
export function interactiveOf(text: string, rows: readonly Row[]): object {
  const body = { text };
  const isShort = rows.length <= MAX_BUTTONS && rows.every(({ title }) => title.length <= BUTTON_CHARS);
  if (isShort) {
    const buttons = rows.map(({ id, title }) => ({ type: "reply", reply: { id, title } }));
    return { type: "button", body, action: { buttons } };
  }
  return { type: "list", body, action: { button: "Choose", sections: [{ rows }] } };
}
