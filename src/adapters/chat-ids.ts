/** What is known of a platform by its name: the shape of its chat ids, and whether its chats can be written to. */
import type { Platform } from "./platform.js";
import { BUILT_IN } from "./platforms.js";

const find = (platforms: readonly Platform[], name: string) => platforms.find((one) => one.name === name);

/** Text that doesn't look like an id is taken for the name of a chat. */
export function isChatId(platform: string, text: string, known: readonly Platform[] = BUILT_IN): boolean {
  return (find(known, platform)?.ids.chat ?? /^\S+$/).test(text);
}

export function isBuiltIn(platform: string): boolean {
  return find(BUILT_IN, platform) !== undefined;
}

/** Whether its chats can get messages that they didn't ask for. */
export function isReachable(platform: string, known: readonly Platform[] = BUILT_IN): boolean {
  return find(known, platform)?.unsolicited ?? true;
}
