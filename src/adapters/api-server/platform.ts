import { z } from "zod";
import type { CoreConfig } from "../../config/core.js";
import { keepFile } from "../../media/incoming.js";
import {
  type BotOf,
  definePlatform,
  type HttpArea,
  type LoadedPlatform,
  type PlatformDeps,
} from "../platform.js";
import { listOf, orNull, ownSettings, seconds, text } from "../settings.js";
import { ACCOUNT, PLATFORM } from "./ids.js";

const keyName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "is not a valid name: use lower case letters, digits, - and _");

const settings = ownSettings(true, {
  api_key: orNull(text).describe("The clients' Bearer key; better in .env (API_SERVER_KEY)"),
  api_keys: z
    .record(keyName, text)
    .default({})
    .describe(
      "Additional keys by name; each sees only its own sessions. Without any key, http.token is used",
    ),
  models: listOf(text).describe(
    "Models that clients may request, at the same address; otherwise model.default answers",
  ),
  session_headers: listOf(text)
    .prefault(["X-OpenWebUI-Chat-Id"])
    .describe("Headers that name a chat, besides X-Hermes-Session-Id and X-Hermes-Session-Key"),
  timeout: seconds.default(900).describe("How many seconds a client waits for its answer"),
  rate_limit: z.int().min(0).default(600).describe("Requests per minute and key; 0 = unlimited"),
});

type Settings = BotOf<typeof settings>;

/** Name of the only key, and of the operator's token if there is no key. */
const ONLY_KEY = "default";
const OPERATOR = "operator";

const AREA: HttpArea = { beginning: "/v1/", ownSecret: true, bodyMegabytes: 10 };

export const apiServer = definePlatform({
  name: PLATFORM,
  label: "any OpenAI client",
  summary: "OpenAI's API at /v1; API_SERVER_KEY is enough",
  settings,
  env: { API_SERVER_KEY: "api_key" },
  callerSecrets: ["api_key", "api_keys"],
  unsolicited: false,
  resetNotices: false,
  capabilities: ["streaming"],
  docs: {
    secrets: "`API_SERVER_KEY`",
    receives: "`/v1` on the HTTP port ([docs/api.md](docs/api.md))",
  },
  promises: {
    inbound: { loses: "nothing", how: "get no response: the client asks again" },
    outbound: { repeats: "never", how: "is given again for the same `Idempotency-Key`" },
  },
  load,
});

async function load(own: Settings, deps: PlatformDeps): Promise<LoadedPlatform> {
  const { apiServerAdapter } = await import("./index.js");
  const { config, chats, media, log } = deps;
  const place = { home: media.home, folder: media.folder, maxBytes: config.media.max_image_bytes };
  const adapter = apiServerAdapter({
    keys: apiKeys(own, config),
    model: config.model.provider === "echo" ? "echo" : (config.model.default ?? ""),
    otherModels: own.models,
    sessionHeaders: own.session_headers,
    timeoutMs: own.timeout * 1000,
    ratePerMinute: own.rate_limit,
    outcome: (eventId) => deps.outcome(PLATFORM, ACCOUNT, eventId),
    sessionOf: (chatId) => chats.sessionIdOf({ platform: PLATFORM, chatType: "dm", chatId }),
    findSession: async (key, id) => {
      const session = await chats.session(id);
      if (session?.source !== PLATFORM || session.user_id !== key) return undefined;
      return { chatId: await chats.chatOf(id) };
    },
    keepImage: async ({ data, mimeType }) =>
      keepFile([Buffer.from(data, "base64")], place, `image.${mimeType.split("/")[1]}`),
    clientAddress: deps.clients.clientAddress,
    log: (error, path) => log("error", "a request failed", { err: error, path }),
  });
  return { adapter, areas: [AREA], routes: (app) => adapter.routes(app) };
}

export function apiKeys(
  { api_key, api_keys }: Pick<Settings, "api_key" | "api_keys">,
  { http }: Pick<CoreConfig, "http">,
): Record<string, string> {
  const own = { ...(api_key === null ? {} : { [ONLY_KEY]: api_key }), ...api_keys };
  const hasNone = Object.keys(own).length === 0;
  return hasNone && http.token !== null ? { [OPERATOR]: http.token } : own;
}
