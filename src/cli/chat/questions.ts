import { shownId } from "../../adapters/cli/index.js";
import type { OutboundMessage } from "../../message.js";
import type { OutboundQuestion, PressedChoice } from "../../question.js";
import { numberedList, readChoice } from "../../text/choices.js";

const MAX_OPEN = 20;

export interface Picked extends PressedChoice {
  label: string;
}

/** The text of a message, with the choices of a question as a list. */
export function questionText({ text, question }: Pick<OutboundMessage, "text" | "question">): string {
  return question ? numberedList(text, question.choices) : text;
}

/** The questions on the screen that aren't decided. What is typed answers the newest. */
export class OpenQuestions {
  #open: { messageId: string; text: string; question: OutboundQuestion }[] = [];

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  add(message: OutboundMessage): void {
    const { text, question } = message;
    if (question) this.#open.push({ messageId: shownId(message), text, question });
    this.#open = this.#open.slice(-MAX_OPEN);
  }

  /** The choice that a typed line means. */
  pick(line: string): Picked | undefined {
    const { question } = this.#open.at(-1) ?? {};
    const choice = question && readChoice(line, question.choices);
    return choice && { questionId: question.id, choiceId: choice.id, label: choice.label };
  }

  answered({ questionId }: PressedChoice): void {
    this.#open = this.#open.filter(({ question }) => question.id !== questionId);
  }

  /** The decision, without the question above it. */
  decided(messageId: string, text: string): string {
    const asked = this.#open.find((one) => one.messageId === messageId)?.text.trimEnd();
    this.#open = this.#open.filter((one) => one.messageId !== messageId);
    return asked !== undefined && text.startsWith(asked) ? text.slice(asked.length).trim() || text : text;
  }
}
