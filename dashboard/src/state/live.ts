/** The overview, pushed by the daemon. A hidden tab closes its connection. */
import { computed, signal } from "@preact/signals";
import type { Overview } from "../../../src/http/dashboard/types.js";
import { get } from "./api.js";

export const overview = signal<Overview | undefined>(undefined);
export const connection = signal<"connecting" | "live" | "lost">("connecting");

/** A list reloads when its mark changes. */
export const messagesMark = computed(() => overview.value?.marks.messages ?? 0);
export const queuesMark = computed(() => {
  const now = overview.value;
  if (!now) return "";
  const { inbox, outbox } = now.queues;
  return JSON.stringify([now.marks.inbox, now.marks.outbox, inbox, outbox, now.lastMinute]);
});
export const deadCount = computed(() => {
  const queues = overview.value?.queues;
  return queues ? queues.inbox.dead + queues.outbox.dead + queues.outbox.unknown : 0;
});
export const pairingCount = computed(() => overview.value?.pairings ?? 0);
export const questionCount = computed(() => overview.value?.questions ?? 0);

let source: EventSource | undefined;

export function startLive(): void {
  document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
  if (!document.hidden) connect();
}

function connect(): void {
  if (source) return;
  const opened = new EventSource("/api/dashboard/live");
  source = opened;
  opened.addEventListener("overview", (event) => {
    overview.value = JSON.parse((event as MessageEvent<string>).data) as Overview;
    connection.value = "live";
  });
  opened.addEventListener("error", () => {
    connection.value = "lost";
    // The event has no reason. If the login has expired, this request redirects to the login page.
    void get<Overview>("/overview").catch(() => undefined);
    if (opened.readyState === EventSource.CLOSED && source === opened) {
      source = undefined;
      setTimeout(() => !document.hidden && connect(), 5000);
    }
  });
}

function disconnect(): void {
  source?.close();
  source = undefined;
  connection.value = "connecting";
}
