import { isAddress, type WebhookConfig } from "../../config/sections/webhooks.js";
import { definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import type { Hook } from "./index.js";
import { ACCOUNT, PLATFORM } from "./normalise.js";

/** Configured under `webhooks`, not under `platforms`. */
export const webhook = definePlatform({
  name: PLATFORM,
  label: "webhooks",
  summary: "Calls from other programs, under `webhooks`",
  unsolicited: false,
  resetNotices: false,
  docs: {
    secrets: "`webhooks.<name>` in `config.yaml`",
    receives: "`/webhooks/<name>` ([docs/webhooks.md](docs/webhooks.md))",
  },
  promises: {
    inbound: { loses: "nothing", how: "get no 2xx: the sender posts again" },
    outbound: { repeats: "never", how: "is delivered to a chat, or posted again under the same id" },
  },
  isEnabled: (config) => Object.keys(config.webhooks).length > 0,
  load,
});

async function load(_: unknown, { config, findTarget, outcome, log }: PlatformDeps): Promise<LoadedPlatform> {
  const { webhookAdapter } = await import("./index.js");
  const adapter = webhookAdapter({
    hooks: Object.entries(config.webhooks).map(hookFrom),
    findTarget,
    outcome: (eventId) => outcome(PLATFORM, ACCOUNT, eventId),
    log,
  });
  return { adapter, callbacks: adapter.callbacks };
}

function hookFrom([name, hook]: [string, WebhookConfig]): Hook {
  const { deliver, signature: style, tolerance: toleranceSeconds, callback_secret } = hook;
  const toAddress = isAddress(deliver);
  return {
    name,
    style,
    proof: { style, secret: hook.secret, header: hook.header, toleranceSeconds },
    idHeader: hook.id_header,
    uniqueBody: hook.unique_body,
    toleranceSeconds,
    events: hook.events,
    prompt: hook.prompt,
    deliver: toAddress ? null : deliver,
    callback: toAddress
      ? { url: deliver, secret: callback_secret ?? "", allowPrivate: hook.allow_private }
      : null,
  };
}
