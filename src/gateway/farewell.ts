import type { RouteRow } from "../store/queues.js";
import type { GatewayParts } from "./parts.js";

const TIME_MS = 60_000;
const LAST_WORDS = `This conversation is about to be closed. If it holds something about the person or the work that will
matter later and isn't in your memory yet, save it now with the memory tool, briefly. Otherwise do nothing. Your
answer is not shown to anybody.`;

/** Before a session that ended by itself is gone from view, its agent may save what matters. Bounded, in the background. */
export async function saveMemories(
  parts: GatewayParts,
  route: RouteRow,
  stopping: AbortSignal,
): Promise<void> {
  const { store, agent, tools } = parts;
  const session = await store.getSession(route.sessionId);
  if (!session || session.message_count === 0 || agent.name === "echo") return;
  const { origin } = route;
  const principal = { platform: origin.platform, userId: origin.userId ?? origin.chatId ?? "" };
  const memory = (await tools(session, principal)).filter((tool) => tool.name === "memory");
  const request = {
    session: { id: session.id, key: route.sessionKey, source: session.source },
    principal,
    systemPrompt: session.system_prompt ?? "",
    history: await store.getConversation(session.id),
    input: [{ role: "user", content: LAST_WORDS }],
    tools: memory,
    takeSteering: () => [],
  };
  for await (const event of agent.run(request, AbortSignal.any([stopping, AbortSignal.timeout(TIME_MS)]))) {
    if (event.type === "failed")
      parts.log.warn(
        { sessionKey: route.sessionKey, reason: event.failure.message },
        "memories were not saved",
      );
  }
}
