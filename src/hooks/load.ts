import type { Config } from "../config/schema.js";
import { type FoundHooks, findHooks } from "./find.js";
import type { Hook, HookReports } from "./hook.js";
import { ModuleHook } from "./module-hook.js";
import { OutgoingHook } from "./outgoing.js";

/** The hooks of a home: its modules and its configured webhooks. */
export interface LoadedHooks extends FoundHooks {
  hooks: Hook[];
}

export function loadHooks(dir: string, settings: Config["hooks"], reports: HookReports): LoadedHooks {
  const found = settings.enabled ? findHooks(dir) : { modules: [], problems: [] };
  const modules = found.modules.map((module) => new ModuleHook(module, settings.timeout * 1000, reports));
  const outgoing = Object.entries(settings.webhooks).map(
    ([name, { url, events, secret, timeout, retries, allow_private }]) =>
      new OutgoingHook(
        {
          name: `webhook:${name}`,
          url,
          events,
          secret,
          timeoutMs: timeout * 1000,
          retries,
          allowPrivate: allow_private,
        },
        reports,
      ),
  );
  return { ...found, hooks: [...modules, ...outgoing] };
}
