import { randomUUID } from "node:crypto";
import type { Principal, Room, Target } from "../../src/message.js";
import type { ToolCall, ToolDefinition } from "../../src/tools/tool.js";

export const PERSON: Principal = { platform: "test", userId: "ann" };

/** A call in Ann's direct chat, unless something else is given. */
export function toolCall(given: Partial<ToolCall> = {}): ToolCall {
  const principal = given.principal ?? PERSON;
  return {
    idempotencyKey: randomUUID(),
    principal,
    session: { id: "now", key: "key", source: principal.platform },
    target: directChat(principal),
    room: undefined,
    shared: false,
    unattended: false,
    signal: new AbortController().signal,
    ask: async () => undefined,
    ...given,
  };
}

export function directChat({ platform, userId }: Principal): Target {
  return {
    ...{ platform, account: "bot", chatType: "dm", chatId: `dm-${userId}`, threadId: null, userId },
    replyTo: "m1",
  };
}

export function inRoom({ platform, chatId }: Room): Pick<ToolCall, "room" | "target"> {
  const target = { platform, account: "bot", chatType: "group", chatId, threadId: null };
  return { room: { platform, chatId }, target: { ...target, userId: null, replyTo: null } };
}

/** The result as an object. */
export async function use(
  tool: ToolDefinition,
  args: Record<string, unknown>,
  given: Partial<ToolCall> = {},
): Promise<Record<string, unknown>> {
  return JSON.parse(await tool.run(args, toolCall(given))) as Record<string, unknown>;
}
