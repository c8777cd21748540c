import type { Person } from "../message.js";
import type { QuestionRow } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { KnownTargets } from "../targets/target.js";

/** What the tools for other programs work on: the running gateway, or only its store while none runs. */
export interface ChatService {
  store: Store;
  places: Omit<KnownTargets, "chats">;
  /** Decides an approval on behalf of the owner. False: it was decided already. */
  decide(question: QuestionRow, choiceId: string): Promise<boolean>;
  /** Something waits in the outbox. */
  wake(): void;
  /** Calls whenever something may have happened; gives what ends it. */
  watch(changed: () => void): () => void;
}

/** Who decides by these tools: the program has the owner's token. */
export const DECIDER: Person & { userName: string } = { platform: "mcp", userId: "owner", userName: "MCP" };

/** A mistake of the caller: it gets the words. */
export class CallerMistake extends Error {}
