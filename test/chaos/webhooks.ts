/** The faults of a service that calls the gateway's webhook. */
import type { ServiceFault, WebService } from "../emulators/web-service.js";
import type { WebhookCalls } from "../emulators/webhook-calls.js";
import { Armed, nothing, type Platform } from "./platform.js";

const REDELIVERED = 5;
const BAD_GATEWAY = { kind: "reply", reply: { status: 502, body: "<html>502 Bad Gateway</html>" } } as const;

type Emulator = WebService & {
  readonly webhooks: WebhookCalls;
  gatewayUrl: string | undefined;
  failSend(fault: ServiceFault): void;
};

type Weather = Pick<Platform, "gatewayAt" | "begin" | "calm" | "unmet" | "unansweredAtMs" | "close">;

/** `limit`: the service asks to wait at the next send. */
export function webhookWeather(emulator: Emulator, limit: () => void): Weather {
  const { faults, webhooks } = emulator;
  const armed = new Armed();
  const unmet: Platform["unmet"] = {};
  return {
    unmet,
    gatewayAt: (url) => {
      emulator.gatewayUrl = url;
    },
    begin(kind, random) {
      switch (kind) {
        case "duplicate":
          for (const delivery of webhooks.all.slice(-REDELIVERED))
            if (random.chance(0.5)) webhooks.again(delivery);
          webhooks.duplicate = true;
          return () => {
            webhooks.duplicate = false;
          };
        case "reorder":
          webhooks.hold();
          return () => webhooks.release();
        case "outage":
          faults.outage = true;
          emulator.disconnect();
          return () => {
            faults.outage = false;
          };
        case "disconnect":
          emulator.disconnect();
          return nothing;
        case "rate limit":
          limit();
          return armed.add(kind);
        case "unknown send":
          emulator.failSend({ kind: "cut_after" });
          return armed.add(kind);
        case "failed send":
          emulator.failSend(random.chance(0.5) ? { kind: "cut_before" } : BAD_GATEWAY);
          return armed.add(kind);
      }
    },
    async calm() {
      Object.assign(unmet, armed.last(faults.armed));
      faults.clear();
      webhooks.duplicate = false;
      webhooks.release();
    },
    unansweredAtMs: () => emulator.calls.filter(({ status }) => status === undefined).map(({ atMs }) => atMs),
    close: () => emulator.close(),
  };
}
