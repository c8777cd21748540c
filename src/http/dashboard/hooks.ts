/** Who gets events, who calls, and what became of it. Both are changed in the settings and in the home. */
import type { Hono } from "hono";
import { maskSecrets } from "../../config/mask.js";
import { homePaths } from "../../config/paths.js";
import type { RecentMessage } from "../../store/reports.js";
import type { HooksAnswer, ShownWebhook } from "./hooks-types.js";
import type { DashboardOptions } from "./options.js";

/** Calls that are looked at for the latest of each webhook. */
const RECENT = 200;

export function hookRoutes(api: Hono, options: DashboardOptions): void {
  const { loaded, home, reports } = options;
  const { hooks, webhooks } = loaded.config;

  api.get("/hooks", async (c) => {
    const { messages } = await reports.recentMessages({ platform: "webhook", limit: RECENT });
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
  const found = messages.find(({ userId }) => userId === `webhook:${name}`);
  if (!found) return null;
  const { receivedAt: at, id, state, error, reason } = found;
  return { at, id, state, error: error ?? reason };
}
