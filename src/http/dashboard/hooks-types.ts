/** Hooks and webhooks, as the page reads them. */
import type { ListedHook } from "../../hooks/list.js";
import type { HookRecord } from "../../hooks/records.js";

export type ShownHook = ListedHook & HookRecord;

export interface ShownWebhook {
  name: string;
  path: string;
  signature: string;
  events: readonly string[];
  deliver: string;
  /** Its latest call among the recent ones. */
  last: { at: number; id: number; state: string; error: string | null } | null;
}

export interface HooksAnswer {
  /** Modules of the home are called. */
  enabled: boolean;
  folder: string;
  hooks: ShownHook[];
  webhooks: ShownWebhook[];
}
