import { formatTarget, type Target } from "../message.js";
import type { KnownChat } from "../store/queues.js";
import type { Store } from "../store/store.js";
import { type Places, parseTarget, resolveTarget, splitThread, type TargetWords } from "./target.js";

/** Enough for an error that names what there is. */
const SHOWN = 100;

/** Words for a chat → the chat, with what the store knows of it. Undefined: nowhere. */
export async function findTarget(
  store: Pick<Store, "knownChats">,
  text: string,
  places: Omit<Places, "chats">,
): Promise<Target | undefined> {
  const words = parseTarget(text);
  return resolveTarget(words, { ...places, chats: await chatsFor(store, words, places) });
}

/** For what is sent later and often: a chat is found now, a home each time anew. */
export async function deliveryOf(
  store: Pick<Store, "knownChats">,
  text: string,
  places: Omit<Places, "chats">,
): Promise<{ deliver: string; target: Target | null }> {
  const words = parseTarget(text);
  const target = await findTarget(store, text, places);
  if (words.to === "home")
    return { deliver: words.platform === null ? "home" : `${words.platform}:home`, target: null };
  return target ? { deliver: formatTarget(target), target } : { deliver: "local", target: null };
}

async function chatsFor(
  store: Pick<Store, "knownChats">,
  words: TargetWords,
  { homes, platforms }: Omit<Places, "chats">,
): Promise<KnownChat[]> {
  const wanted = wantedChat(words, homes, platforms);
  if (!wanted) return [];
  const { platform, rest } = wanted;
  const names = [...new Set([rest, splitThread(rest).chat])];
  const found = await Promise.all(
    names.map((called) => store.knownChats({ platform, called, limit: SHOWN })),
  );
  const chats = found.flat();
  return chats.length > 0 ? chats : store.knownChats({ platform, limit: SHOWN });
}

function wantedChat(
  words: TargetWords,
  homes: Places["homes"],
  platforms: Places["platforms"],
): { platform: string; rest: string } | undefined {
  if (words.to === "chat") return words;
  if (words.to !== "home") return undefined;
  const platform = words.platform ?? platforms.find((name) => homes[name] !== undefined);
  const rest = platform === undefined ? undefined : homes[platform];
  return platform === undefined || rest === undefined ? undefined : { platform, rest };
}
