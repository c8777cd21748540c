/** Who is using this page, and what they may do. */
import { computed, signal } from "@preact/signals";
import type { Features, Limits, Me } from "../../../../src/adapters/web/api.js";
import { get } from "./request.js";

export const me = signal<Me | undefined>(undefined);

const NO_FEATURES: Features = { sharing: false, uploads: false };
/** Defaults until the server answers. */
const LIMITS: Limits = { messageChars: 100_000, fileBytes: 20_000_000, filesPerMessage: 10, titleChars: 100 };

export const features = computed(() => me.value?.features ?? NO_FEATURES);
export const limits = computed(() => me.value?.limits ?? LIMITS);
export const commands = computed(() => me.value?.commands ?? []);

let reading = new AbortController();

/** Cancels the previous call, whose answer may be older than a login. */
export async function loadMe(): Promise<void> {
  reading.abort();
  reading = new AbortController();
  const { signal: ended } = reading;
  try {
    const answer = await get<Me>("/me", ended);
    if (!ended.aborted) me.value = answer;
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}
