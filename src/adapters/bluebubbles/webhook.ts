/** The server's calls to us. It signs nothing: a key in the registered address proves that the call is the server's. */
import { isSameSecret } from "../../secret.js";
import { isRecord } from "../kit/rest.js";
import { answerWebhook } from "../kit/webhook-route.js";
import type { BlueBubblesApi } from "./api.js";
import { webhookKey } from "./ids.js";

export interface Event {
  type: string;
  data: unknown;
}

const KEY = "key";

/** As the server calls it. Contains the key: never logged. */
export function webhookAddress(webhookUrl: string, password: string): string {
  const url = new URL(webhookUrl);
  url.searchParams.set(KEY, webhookKey(password));
  return url.href;
}

export function answerCall(
  request: Request,
  password: string,
  receive: ((event: Event) => Promise<void>) | undefined,
): Promise<Response> {
  const key = webhookKey(password);
  return answerWebhook<Event>(request, {
    auth: { signature: ({ url }) => isSameSecret(url.searchParams.get(KEY) ?? "", key) },
    parse: ({ body }) => {
      const value: unknown = JSON.parse(body.toString("utf8"));
      return isRecord(value) && typeof value.type === "string"
        ? { type: value.type, data: value.data }
        : undefined;
    },
    receive:
      receive &&
      (async (event) => {
        await receive(event);
        return undefined;
      }),
  });
}

/** Registers our address once. Earlier ones of ours, with another key, are removed. */
export async function register(
  api: BlueBubblesApi,
  webhookUrl: string,
  password: string,
  signal: AbortSignal,
): Promise<void> {
  const address = webhookAddress(webhookUrl, password);
  const ours = (await api.webhooks(signal)).filter(({ url }) => placeOf(url) === placeOf(address));
  const [kept] = ours.filter(({ url }) => url === address);
  for (const { id } of ours.filter((webhook) => webhook !== kept)) await api.removeWebhook(id, signal);
  if (!kept) await api.addWebhook(address, signal);
}

export async function isRegistered(
  api: BlueBubblesApi,
  webhookUrl: string,
  password: string,
  signal: AbortSignal,
): Promise<boolean> {
  const address = webhookAddress(webhookUrl, password);
  return (await api.webhooks(signal)).some(({ url }) => url === address);
}

function placeOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin + new URL(url).pathname : url;
}
