/** The built-in platforms in display order, and lists of them for help texts. */
import * as list from "./built-in.js";
import type { Platform } from "./platform.js";

const LAST = 1000;

/** Also the order in which `home` is resolved: platforms that need setup first, then others with documentation. */
export const BUILT_IN = Object.values(list).toSorted(inOrder);

function inOrder(a: Platform, b: Platform): number {
  const byRank = rank(a) - rank(b) || (a.position ?? LAST) - (b.position ?? LAST);
  return byRank || (a.label.toLowerCase() < b.label.toLowerCase() ? -1 : 1);
}

function rank({ setup, docs }: Platform): number {
  return setup ? 0 : docs ? 1 : 2;
}

export function builtIn(name: string): Platform | undefined {
  return BUILT_IN.find((platform) => platform.name === name);
}

const CHATS = BUILT_IN.filter((platform: Platform) => platform.setup !== undefined) as readonly Platform[];

/** For help texts: "telegram, discord, slack, …". */
export function chatPlatformNames(): string {
  return [...CHATS.map(({ name }) => name), "…"].join(", ");
}

/** For help texts: a platform with a chat's id, and chats by their names. */
export function exampleTargets(): { platform: string; chatId: string; byName: string[] } {
  const named = CHATS.filter(({ ids }) => ids.exampleName !== undefined);
  const { name, ids } = named[0]!;
  return {
    platform: name,
    chatId: ids.example ?? "42",
    byName: named.map((platform) => `${platform.name}:${platform.ids.exampleName}`),
  };
}

/** Their chats aren't notified of a session reset unless the configuration says so. */
export function withoutResetNotices(): string[] {
  return BUILT_IN.flatMap((platform: Platform) => (platform.resetNotices === false ? [platform.name] : []));
}
