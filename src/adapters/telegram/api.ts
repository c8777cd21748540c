/** grammY's client, loaded when the platform is used. Without its own retries: those are ours. */
import http from "node:http";
import https from "node:https";
import type { Api, InputFile } from "grammy";
import type { Settings } from "./config.js";

export interface TelegramApi {
  /** For `getUpdates`, with a longer timeout. */
  poll: Api;
  call: Api;
  /** For calls that carry files. */
  upload: Api;
  fileFrom(path: string, name: string): InputFile;
}

/**
 * If Telegram closes a connection at the moment we reuse it, the send's outcome is unknown. So idle connections are
 * closed earlier than any server does.
 */
const IDLE_CONNECTION_MS = 3000;

export async function loadApi({ token, apiUrl, timing }: Settings): Promise<TelegramApi> {
  const { Api, InputFile } = await import("grammy");
  const agentOptions = { keepAlive: true, timeout: IDLE_CONNECTION_MS };
  const agent = apiUrl.startsWith("https:") ? new https.Agent(agentOptions) : new http.Agent(agentOptions);
  const client = (timeoutSeconds: number) =>
    new Api(token, { apiRoot: apiUrl, timeoutSeconds, baseFetchConfig: { agent, compress: true } });
  return {
    poll: client(timing.pollSeconds + timing.pollGraceMs / 1000),
    call: client(timing.callMs / 1000),
    upload: client(timing.uploadMs / 1000),
    fileFrom: (path, name) => new InputFile(path, name),
  };
}

/** grammY declares AbortSignal itself. */
export type GrammySignal = NonNullable<Parameters<Api["getMe"]>[0]>;

export const asSignal = (signal: AbortSignal) => signal as unknown as GrammySignal;
