import type { Random } from "../../bench/random.js";
import { WhatsAppEmulator } from "../emulators/whatsapp-cloud/index.js";
import { Armed, type EndFault, type FaultKind, nothing, type Place, type Platform } from "./platform.js";

const REDELIVERED = 5;
const BAD_GATEWAY = { kind: "reply", reply: { status: 502, body: "<html>502 Bad Gateway</html>" } } as const;

export async function whatsappCloud(): Promise<Platform> {
  const emulator = await new WhatsAppEmulator().start();
  const { faults, webhooks } = emulator;
  const armed = new Armed();
  let unmet: Platform["unmet"] = {};

  const dm = (number: string): Place => ({
    name: number,
    people: 1,
    say: (_, text) => {
      emulator.say(number, text);
      return number;
    },
    seen: () => emulator.said(number).map(({ text, atMs }) => ({ text, atMs })),
  });

  async function begin(kind: FaultKind, random: Random): Promise<EndFault> {
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
        emulator.refuseNext(130429, 429, { "retry-after": "1" });
        return armed.add(kind);
      case "unknown send":
        emulator.failSend({ kind: "cut_after" });
        return armed.add(kind);
      case "failed send":
        emulator.failSend(random.chance(0.5) ? { kind: "cut_before" } : BAD_GATEWAY);
        return armed.add(kind);
    }
  }

  return {
    name: "whatsapp_cloud",
    config: `whatsapp_cloud: {phone_number_id: "${emulator.phoneNumberId}", access_token: "${emulator.accessToken}", app_secret: "${emulator.appSecret}", api_url: "${emulator.url}"}`,
    places: ["15551110001", "15551110002", "15551110003", "15551110004"].map(dm),
    longChars: 10_000,
    numbersEvents: false,
    gatewayAt: (url) => {
      emulator.gatewayUrl = url;
    },
    begin,
    async calm() {
      unmet = armed.last(faults.armed);
      faults.clear();
      webhooks.duplicate = false;
      webhooks.release();
    },
    get unmet() {
      return unmet;
    },
    unansweredAtMs: () => emulator.calls.filter(({ status }) => status === undefined).map(({ atMs }) => atMs),
    close: () => emulator.close(),
  };
}
