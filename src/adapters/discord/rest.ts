/** Discord's REST API through its SDK, loaded when the platform is used: this part of it alone, the rest takes 20 MB. */
import type { REST } from "discord.js";
import type { Settings } from "./config.js";

/** Retries off: what isn't idempotent must not be done twice, and the rest is retried with a pause, by us. */
export async function openRest({ apiUrl, token, timing }: Settings): Promise<REST> {
  const { REST: Client } = await import("@discordjs/rest");
  return new Client({
    api: apiUrl,
    retries: 0,
    timeout: timing.requestTimeoutMs,
    // Reads may wait in the SDK. Everything that is said waits in our own queue, where finals come first.
    rejectOnRateLimit: ({ method, route }) =>
      method.toUpperCase() !== "GET" && /^\/(channels|webhooks)\//.test(route),
  }).setToken(token);
}

export function closeRest(rest: REST): void {
  rest.clearHashSweeper();
  rest.clearHandlerSweeper();
}
