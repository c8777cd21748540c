/** Discord's REST API through its SDK, loaded when the platform is used. */
import type { REST } from "discord.js";
import type { Settings } from "./config.js";

/** Without the SDK's retries: calls that aren't idempotent must not be repeated, and others are retried by us. */
export async function openRest({ apiUrl, token, timing }: Settings): Promise<REST> {
  const { REST: Client } = await import("@discordjs/rest");
  return new Client({
    api: apiUrl,
    retries: 0,
    timeout: timing.requestTimeoutMs,
    // Reads may wait in the SDK's queue. Messages wait in ours, where final answers come first.
    rejectOnRateLimit: ({ method, route }) =>
      method.toUpperCase() !== "GET" && /^\/(channels|webhooks)\//.test(route),
  }).setToken(token);
}

export function closeRest(rest: REST): void {
  rest.clearHashSweeper();
  rest.clearHandlerSweeper();
}
