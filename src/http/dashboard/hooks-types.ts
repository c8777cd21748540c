/** Responses of the hooks API. */
import type { ListedHook } from "../../hooks/list.js";
import type { HookRecord } from "../../hooks/records.js";

export type ShownHook = ListedHook & HookRecord;

export interface ShownWebhook {
  name: string;
  path: string;
  signature: string;
  events: readonly string[];
  deliver: string;
  /** Its latest call, if it is recent. */
  last: { at: number; id: number; state: string; error: string | null } | null;
}

export interface HooksAnswer {
  /** Whether the home's modules are called. */
  enabled: boolean;
  folder: string;
  hooks: ShownHook[];
  webhooks: ShownWebhook[];
}
