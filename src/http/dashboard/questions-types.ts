import type { Person } from "../../message.js";
import type { Choice } from "../../question.js";
import type { QuestionKind } from "../../store/queues.js";

export interface QuestionsAnswer {
  /** Oldest first. */
  questions: OpenQuestion[];
}

export interface OpenQuestion {
  id: string;
  kind: QuestionKind;
  text: string;
  choices: readonly Choice[];
  acceptsText: boolean;
  /** Null: owners. */
  asked: (Person & { name: string | null }) | null;
  /** Null: its message is gone. */
  place: { platform: string; chatId: string | null; name: string | null } | null;
  sessionId: string | null;
  createdAt: number;
  expiresAt: number;
}
