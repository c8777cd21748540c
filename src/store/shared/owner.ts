import type { Origin } from "../../message.js";
import { EDITOR_SOURCE, TERMINAL_SOURCE } from "../../session.js";

/**
 * Every row of the queues names the owner that works on it. The gateway owns everything but the chats of terminals and editors: each
 * of them is an account with one chat, both with the same id, in a process of its own.
 */
export type Owner = string;

export const GATEWAY: Owner = "gateway";

export function ownerOf(platform: string, account: string): Owner {
  return platform === TERMINAL_SOURCE || platform === EDITOR_SOURCE
    ? `account:${platform}:${account}`
    : GATEWAY;
}

export function ownerOfRoute({ platform, chatId }: Pick<Origin, "platform" | "chatId">): Owner {
  return ownerOf(platform, chatId ?? "");
}

/** True for a process that works for the gateway; default: one that works on all rows. */
export function isGateway(owners: readonly Owner[] | undefined): boolean {
  return owners === undefined || owners.includes(GATEWAY);
}
