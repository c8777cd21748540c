/** grammY's client, loaded when the platform is used. Its own retries are off, and only requests of ours go out. */
import http from "node:http";
import https from "node:https";
import type { Api, InputFile } from "grammy";
import type { Settings } from "./config.js";

export interface TelegramApi {
  /** For `getUpdates`, which takes its time. */
  poll: Api;
  call: Api;
  /** For calls that carry files. */
  upload: Api;
  fileFrom(path: string, name: string): InputFile;
}

/**
 * A connection that Telegram closes in the very moment when we use it again makes an unknown send: keep idle ones for a
 * shorter time than any server does.
 */
const IDLE_CONNECTION_MS = 3000;

export async function loadApi({ token, apiRoot, timing }: Settings): Promise<TelegramApi> {
  const { Api, InputFile } = await import("grammy");
  const agentOptions = { keepAlive: true, timeout: IDLE_CONNECTION_MS };
  const agent = apiRoot.startsWith("https:") ? new https.Agent(agentOptions) : new http.Agent(agentOptions);
  const client = (timeoutSeconds: number) =>
    new Api(token, { apiRoot, timeoutSeconds, baseFetchConfig: { agent, compress: true } });
  return {
    poll: client(timing.pollSeconds + timing.pollGraceMs / 1000),
    call: client(timing.callMs / 1000),
    upload: client(timing.uploadMs / 1000),
    fileFrom: (path, name) => new InputFile(path, name),
  };
}

/** grammY's own type for the same thing. */
export type GrammySignal = NonNullable<Parameters<Api["getMe"]>[0]>;

export const asSignal = (signal: AbortSignal) => signal as unknown as GrammySignal;
