/** Looks up a platform by name: the shape of its chat ids, and whether its chats accept unsolicited messages. */
import type { Platform } from "./platform.js";
import { BUILT_IN } from "./platforms.js";

const find = (platforms: readonly Platform[], name: string) => platforms.find((one) => one.name === name);

/** Text that doesn't look like an id is treated as a chat's name. */
export function isChatId(platform: string, text: string, known: readonly Platform[] = BUILT_IN): boolean {
  return (find(known, platform)?.ids.chat ?? /^\S+$/).test(text);
}

export function isBuiltIn(platform: string): boolean {
  return find(BUILT_IN, platform) !== undefined;
}

/** Whether its chats accept unsolicited messages. */
export function isReachable(platform: string, known: readonly Platform[] = BUILT_IN): boolean {
  return find(known, platform)?.unsolicited ?? true;
}
