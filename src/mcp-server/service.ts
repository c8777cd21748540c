import type { Person } from "../message.js";
import type { QuestionRow } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { KnownTargets } from "../targets/target.js";

/** The backend of the tools for other programs: the running gateway, or only its store. */
export interface ChatService {
  store: Store;
  targets: Omit<KnownTargets, "chats">;
  /** Decides an approval on behalf of the owner. False if it has already been decided. */
  decide(question: QuestionRow, choiceId: string): Promise<boolean>;
  /** Something waits in the outbox. */
  wake(): void;
  /** Calls back whenever something may have changed; returns a function that unsubscribes. */
  watch(changed: () => void): () => void;
}

/** The decider recorded for these tools: the program has the owner's token. */
export const DECIDER: Person & { userName: string } = { platform: "mcp", userId: "owner", userName: "MCP" };

/** A caller's error, whose text it gets. */
export class CallerMistake extends Error {}
