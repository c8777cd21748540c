/** The Web API's methods, with Slack's error codes. */
import { chatMethods } from "./methods-chat.js";
import { fileMethods } from "./methods-files.js";
import { roomMethods } from "./methods-rooms.js";
import { type ApiAnswer, ApiError } from "./types.js";
import type { Workspace } from "./workspace.js";

export interface MethodContext {
  workspace: Workspace;
  baseUrl: string;
  /** A ticket for one socket. */
  ticket(): string;
}

export type Args = Record<string, string | undefined>;
export type Method = (args: Args, context: MethodContext) => ApiAnswer;

const basics: Record<string, Method> = {
  "api.test": () => ({}),
  "auth.test": (_, { workspace, baseUrl }) => ({
    url: `${baseUrl}/`,
    team: "Emulated",
    user: "hermes",
    team_id: workspace.teamId,
    user_id: workspace.botUser,
    bot_id: workspace.botId,
    is_enterprise_install: false,
  }),
  "apps.connections.open": (_, { baseUrl, ticket, workspace }) => ({
    url: `${baseUrl.replace("http", "ws")}/link/?ticket=${ticket()}&app_id=${workspace.appId}`,
  }),
};

const METHODS: Record<string, Method> = { ...basics, ...chatMethods, ...roomMethods, ...fileMethods };

/** The app token's scope; the others belong to the bot token. */
export const APP_SCOPE = "connections:write";

/** Any one of the scopes is enough. */
const SCOPES: Record<string, readonly string[]> = {
  "apps.connections.open": [APP_SCOPE],
  "chat.postMessage": ["chat:write"],
  "chat.update": ["chat:write"],
  "chat.delete": ["chat:write"],
  "chat.startStream": ["chat:write"],
  "chat.appendStream": ["chat:write"],
  "chat.stopStream": ["chat:write"],
  "assistant.threads.setStatus": ["assistant:write", "chat:write"],
  "conversations.history": ["channels:history", "groups:history", "im:history", "mpim:history"],
  "conversations.replies": ["channels:history", "groups:history", "im:history", "mpim:history"],
  "conversations.info": ["channels:read", "groups:read", "im:read", "mpim:read"],
  "users.conversations": ["channels:read", "groups:read", "im:read", "mpim:read"],
  "reactions.add": ["reactions:write"],
  "reactions.remove": ["reactions:write"],
  "users.info": ["users:read"],
  "files.getUploadURLExternal": ["files:write"],
  "files.completeUploadExternal": ["files:write"],
  "files.info": ["files:read"],
};
/** Scopes that only events need. */
const EVENT_SCOPES = ["app_mentions:read", "commands"];
export const ALL_SCOPES = new Set([...Object.values(SCOPES).flat(), ...EVENT_SCOPES]);

export function callMethod(name: string, args: Args, scopes: ReadonlySet<string>, context: MethodContext) {
  const method = METHODS[name];
  if (!method) throw new ApiError("unknown_method", { req_method: name });
  const needed = SCOPES[name];
  if (needed && !needed.some((scope) => scopes.has(scope)))
    throw new ApiError("missing_scope", { needed: needed[0], provided: [...scopes].join(",") });
  return method(args, context);
}
