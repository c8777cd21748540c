/** The service while no gateway is running: reads work, and changes take effect at the next start. */
import { nowSeconds } from "../clock.js";
import { grantOf } from "../policies/approval.js";
import type { Store } from "../store/store.js";
import { type ChatService, DECIDER } from "./service.js";

export function offlineService(store: Store, targets: ChatService["targets"]): ChatService {
  return {
    store,
    targets,
    decide: async ({ id, choices }, choiceId) => {
      const text = choices.find((choice) => choice.id === choiceId)?.label ?? choiceId;
      const answer = { choiceId, text, by: DECIDER, at: nowSeconds() };
      const decision = { state: "answered" as const, answer, grant: grantOf(choiceId) };
      return (await store.decideQuestion(id, decision))?.decided ?? false;
    },
    wake: () => undefined,
    watch: () => () => undefined,
  };
}
