/** The API server, made from the configuration and the store. */
import { ACCOUNT, type ApiServerAdapter, apiServerAdapter, PLATFORM } from "../adapters/api-server/index.js";
import { MEDIA_FOLDERS } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import { keepFile } from "../media/incoming.js";
import { isolationOf } from "../rules.js";
import { sessionKey } from "../sessions/key.js";
import type { Store } from "../store/store.js";
import type { HttpLog } from "./log.js";
import { clientAddress } from "./request.js";
import type { Area } from "./server.js";

export const API_AREA: Area = { beginning: "/v1/", ownSecret: true, bodyMegabytes: 10 };

/** Of the key that has no other; the operator's own token is one while there is none. */
const ONLY_KEY = "default";
const OPERATOR = "operator";

export function apiServer(store: Store, config: Config, home: string, log: HttpLog): ApiServerAdapter {
  const settings = config.platforms.api_server;
  const place = { home, folder: MEDIA_FOLDERS.incoming, maxBytes: config.media.max_image_bytes };
  const keyOf = (chatId: string) =>
    sessionKey({ platform: PLATFORM, chatType: "dm", chatId }, isolationOf(config));
  return apiServerAdapter({
    keys: apiKeys(config),
    model: config.model.provider === "echo" ? "echo" : (config.model.default ?? ""),
    otherModels: settings.models,
    sessionHeaders: settings.session_headers,
    timeoutMs: settings.timeout * 1000,
    ratePerMinute: settings.rate_limit,
    outcome: (eventId) => store.eventOutcome(PLATFORM, ACCOUNT, eventId),
    sessionOf: async (chatId) => (await store.getRoute(keyOf(chatId)))?.sessionId,
    findSession: async (key, id) => {
      const session = await store.getSession(id);
      if (session?.source !== PLATFORM || session.user_id !== key) return undefined;
      const { tip } = await store.getLineage(id);
      return { chatId: (await store.findRoute(tip))?.origin.chatId ?? null };
    },
    keepImage: async ({ data, mimeType }) =>
      keepFile([Buffer.from(data, "base64")], place, `image.${mimeType.split("/")[1]}`),
    clientAddress,
    log: (error, path) => log.error({ err: error, path }, "a request failed"),
  });
}

export function apiKeys({ platforms, http }: Config): Record<string, string> {
  const { api_key, api_keys } = platforms.api_server;
  const own = { ...(api_key === null ? {} : { [ONLY_KEY]: api_key }), ...api_keys };
  const none = Object.keys(own).length === 0;
  return none && http.token !== null ? { [OPERATOR]: http.token } : own;
}
