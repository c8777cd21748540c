import path from "node:path";
import { definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { ownSettings } from "../settings.js";
import { buttonsFor } from "./questions.js";

const NAME = "web";
const MAX_LOG_ENTRIES = 200;
const MAX_SESSIONS = 50;

export const web = definePlatform({
  name: NAME,
  label: "web chat",
  summary: "The web chat on the HTTP port",
  settings: ownSettings(true, {}),
  ids: { chat: /^[0-9a-f]{32}$/ },
  unsolicited: true,
  lastingThreads: true,
  capabilities: ["files", "streaming", "typing", "buttons"],
  docs: { secrets: "", receives: "the HTTP port" },
  promises: {
    inbound: { loses: "nothing", how: "wait in the browser until it is back" },
    outbound: { repeats: "never", how: "is shown once, by its number" },
  },
  load,
});

async function load(
  _: unknown,
  { chats, clients, commands, config, home }: PlatformDeps,
): Promise<LoadedPlatform> {
  const { webAdapter } = await import("./index.js");
  const adapter = webAdapter({
    clientOf: clients.clientOf,
    commands,
    chatLog: async (chatId) => {
      const entries = await chats.log(NAME, chatId, MAX_LOG_ENTRIES);
      return entries.map(({ question, ...entry }) => ({ ...entry, ...buttonsFor(question) }));
    },
    file: async (chatId, outboxId, index) => {
      const sent = await chats.sent(outboxId);
      const isTheirs = sent?.target.platform === NAME && sent.target.chatId === chatId;
      const file = isTheirs ? sent.files[index] : undefined;
      return file && { ...file, file: path.join(home, file.path) };
    },
    session: async (chatId) => {
      const id = await chats.sessionIdOf({ platform: NAME, chatType: "dm", chatId, userId: chatId });
      const session = id === undefined ? undefined : await chats.session(id);
      return session ? { id: session.id, title: session.title } : null;
    },
    sessions: (chatId) => chats.sessions({ platform: NAME, userId: chatId }, MAX_SESSIONS),
  });
  const uploads = { beginning: "/api/web/files", ownSecret: false };
  const bodyMegabytes = Math.ceil(config.media.max_download_bytes / 1024 / 1024);
  return {
    adapter,
    areas: [
      { ...uploads, bodyMegabytes },
      ...["/chat/", "/api/web/shared/", "/shared/", "/api/web/login/", "/login/link", "/login/password"].map(
        (beginning) => ({
          ...{ beginning, ownSecret: true, bodyMegabytes: 1 },
        }),
      ),
    ],
    routes: (app) => adapter.routes(app),
  };
}
