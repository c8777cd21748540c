import { shownId } from "../../adapters/cli/index.js";
import type { OutboundMessage } from "../../message.js";
import type { OutboundQuestion, PressedChoice } from "../../question.js";
import { numberedList, readChoice } from "../../text/choices.js";

const MAX_SHOWN = 20;

export interface Picked extends PressedChoice {
  label: string;
}

/** The text of a message, with the choices of a question as a list. */
export function questionText({ text, question }: Pick<OutboundMessage, "text" | "question">): string {
  return question ? numberedList(text, question.choices) : text;
}

/** The open questions on the screen. Typed text answers the newest. */
export class OpenQuestions {
  #shown: { messageId: string; text: string; question: OutboundQuestion; isAnswered: boolean }[] = [];

  get isOpen(): boolean {
    return this.#shown.some(({ isAnswered }) => !isAnswered);
  }

  add(message: OutboundMessage): void {
    const { text, question } = message;
    if (question) this.#shown.push({ messageId: shownId(message), text, question, isAnswered: false });
    this.#shown = this.#shown.slice(-MAX_SHOWN);
  }

  /** The choice that a typed line means. */
  pick(line: string): Picked | undefined {
    const { question } = this.#shown.findLast(({ isAnswered }) => !isAnswered) ?? {};
    const choice = question && readChoice(line, question.choices);
    return choice && { questionId: question.id, choiceId: choice.id, label: choice.label };
  }

  answered({ questionId }: PressedChoice): void {
    for (const one of this.#shown) if (one.question.id === questionId) one.isAnswered = true;
  }

  /** The decision, without the question above it. */
  decided(messageId: string, text: string): string {
    const asked = this.#shown.find((one) => one.messageId === messageId)?.text.trimEnd();
    this.#shown = this.#shown.filter((one) => one.messageId !== messageId);
    return asked !== undefined && text.startsWith(asked) ? text.slice(asked.length).trim() || text : text;
  }
}
