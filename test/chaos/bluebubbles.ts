import type { Random } from "../../bench/random.js";
import { BlueBubblesEmulator, type MacChat } from "../emulators/bluebubbles/index.js";
import { Armed, type EndFault, type FaultKind, nothing, type Place, type Platform } from "./platform.js";

const REDELIVERED = 5;
const BAD_GATEWAY = { kind: "reply", reply: { status: 502, body: "<html>502 Bad Gateway</html>" } } as const;
const LIMITED = { kind: "reply", reply: { status: 429, headers: { "retry-after": "1" } } } as const;

export async function bluebubbles(): Promise<Platform> {
  const emulator = await new BlueBubblesEmulator().start();
  const { faults, webhooks, mac } = emulator;
  const armed = new Armed();
  let unmet: Platform["unmet"] = {};
  const people = ["+15551110001", "+15551110002", "cy@example.org"];
  const family = mac.group("chat83", "Family");

  const seen = (chat: MacChat) => () => emulator.said(chat).map(({ text, atMs }) => ({ text, atMs }));
  const dm = (address: string): Place => {
    const chat = mac.direct(address);
    const say = (_: number, text: string) => {
      emulator.say(chat, address, text);
      return address;
    };
    return { name: `dm ${address}`, people: 1, say, seen: seen(chat) };
  };
  const room = (): Place => {
    const say = (person: number, text: string) => {
      emulator.say(family, people[person]!, `Hermes, ${text}`);
      return `room ${people[person]!}`;
    };
    return { name: "room", people: people.length, say, seen: seen(family) };
  };

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
        emulator.failSend(LIMITED);
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
    name: "bluebubbles",
    config: `bluebubbles: {api_url: "${emulator.url}", password: "${emulator.password}", webhook_url: "http://gateway.example/bluebubbles-webhook", poll_seconds: 2}`,
    places: [...people.map(dm), room()],
    longChars: 9000,
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
