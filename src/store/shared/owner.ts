import type { Origin } from "../../message.js";
import { EDITOR_SOURCE, TERMINAL_SOURCE } from "../../session.js";

/**
 * Every queue row names the process that owns it. The gateway owns everything except chats of terminals and
 * editors, each of which is a separate process with one account and one chat that share an id.
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

/** True for a process that handles the gateway's rows. Default: all rows. */
export function isGateway(owners: readonly Owner[] | undefined): boolean {
  return owners === undefined || owners.includes(GATEWAY);
}
