/** Hooks and webhooks with their latest outcomes. Read-only: the settings and the home define them. */
import type { Hono } from "hono";
import { maskSecrets } from "../../config/mask.js";
import { homePaths } from "../../config/paths.js";
import type { RecentMessage } from "../../store/reports.js";
import type { HooksAnswer, ShownWebhook } from "./hooks-types.js";
import type { DashboardOptions } from "./options.js";

/** How many calls to search for each webhook's latest one. */
const RECENT_CALLS = 200;

export function hookRoutes(api: Hono, options: DashboardOptions): void {
  const { loaded, home, reports } = options;
  const { hooks, webhooks } = loaded.config;

  api.get("/hooks", async (c) => {
    const { messages } = await reports.recentMessages({ platform: "webhook", limit: RECENT_CALLS });
    const answer: HooksAnswer = {
      enabled: hooks.enabled,
      folder: homePaths(home).hooksDir,
      hooks: options.hookReport().map((hook) => ({ ...hook, where: maskSecrets(hook.where) })),
      webhooks: Object.entries(webhooks).map(([name, { signature, events, deliver }]) => ({
        ...{ name, path: `/webhooks/${name}`, signature, events, deliver: maskSecrets(deliver) },
        last: lastOf(messages, name),
      })),
    };
    return c.json(answer);
  });
}

function lastOf(messages: readonly RecentMessage[], name: string): ShownWebhook["last"] {
  const message = messages.find(({ userId }) => userId === `webhook:${name}`);
  if (!message) return null;
  const { receivedAt: at, id, state, error, reason } = message;
  return { at, id, state, error: error ?? reason };
}
