import { formatTarget, type Target } from "../message.js";
import type { KnownChat } from "../store/queues.js";
import type { Store } from "../store/store.js";
import { type KnownTargets, type ParsedTarget, parseTarget, resolveTarget, splitThread } from "./target.js";

/** Enough for an error that lists known chats. */
const MAX_CHATS = 100;

/** Parses and resolves a target, using the store's known chats. Undefined for `local`: no delivery. */
export async function findTarget(
  store: Pick<Store, "knownChats">,
  text: string,
  targets: Omit<KnownTargets, "chats">,
): Promise<Target | undefined> {
  const parsed = parseTarget(text);
  return resolveTarget(parsed, { ...targets, chats: await chatsFor(store, parsed, targets) });
}

/** For repeated deliveries: resolves a chat now, but `home` at each delivery. */
export async function deliveryOf(
  store: Pick<Store, "knownChats">,
  text: string,
  targets: Omit<KnownTargets, "chats">,
): Promise<{ deliver: string; target: Target | null }> {
  const parsed = parseTarget(text);
  const target = await findTarget(store, text, targets);
  if (parsed.to === "home")
    return { deliver: parsed.platform === null ? "home" : `${parsed.platform}:home`, target: null };
  return target ? { deliver: formatTarget(target), target } : { deliver: "local", target: null };
}

async function chatsFor(
  store: Pick<Store, "knownChats">,
  parsed: ParsedTarget,
  { homes, platforms }: Omit<KnownTargets, "chats">,
): Promise<KnownChat[]> {
  const wanted = wantedChat(parsed, homes, platforms);
  if (!wanted) return [];
  const { platform, rest } = wanted;
  const names = [...new Set([rest, splitThread(rest).chat])];
  const found = await Promise.all(
    names.map((called) => store.knownChats({ platform, called, limit: MAX_CHATS })),
  );
  const chats = found.flat();
  return chats.length > 0 ? chats : store.knownChats({ platform, limit: MAX_CHATS });
}

function wantedChat(
  parsed: ParsedTarget,
  homes: KnownTargets["homes"],
  platforms: KnownTargets["platforms"],
): { platform: string; rest: string } | undefined {
  if (parsed.to === "chat") return parsed;
  if (parsed.to !== "home") return undefined;
  const platform = parsed.platform ?? platforms.find((name) => homes[name] !== undefined);
  const rest = platform === undefined ? undefined : homes[platform];
  return platform === undefined || rest === undefined ? undefined : { platform, rest };
}
