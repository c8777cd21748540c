import type { Random } from "../../bench/random.js";
import { type Chat, LIBRARY, type Person, WhatsAppEmulator } from "../emulators/whatsapp/index.js";
import { Armed, type EndFault, type FaultKind, nothing, type Place, type Platform } from "./platform.js";

export async function whatsapp(): Promise<Platform> {
  const emulator = await new WhatsAppEmulator({ autoLink: true }).start();
  const people = ["ann", "bob", "cy"].map((name) => emulator.person(name));
  const group = emulator.group("Garden");
  const armed = new Armed();
  let unmet: Platform["unmet"] = {};

  const seen = (chat: Chat) => () => emulator.said(chat).map(({ text, atMs }) => ({ text, atMs }));
  const dm = (person: Person): Place => {
    const chat = { with: person };
    const name = `dm ${person.name}`;
    const say = (_: number, text: string) => {
      emulator.say(chat, person, text);
      return name;
    };
    return { name, people: 1, say, seen: seen(chat) };
  };
  const room: Place = {
    name: "group",
    people: people.length,
    say: (person, text) => {
      emulator.say({ group }, people[person]!, text);
      return `group ${people[person]!.name}`;
    },
    seen: seen({ group }),
  };

  async function outage(): Promise<EndFault> {
    if (!emulator.server.isUp) return nothing;
    await emulator.close();
    return async () => {
      if (!emulator.server.isUp) await emulator.start();
    };
  }

  function begin(kind: FaultKind, random: Random): Promise<EndFault> | EndFault {
    switch (kind) {
      case "duplicate":
        emulator.duplicate = true;
        return () => {
          emulator.duplicate = false;
        };
      case "reorder":
        emulator.deliveries.hold();
        return () => emulator.deliveries.release();
      case "outage":
        return outage();
      case "disconnect":
        if (random.chance(0.5)) emulator.cut();
        else emulator.restart();
        return nothing;
      case "rate limit":
        emulator.failSend({ kind: "error", code: "429" });
        return armed.add(kind);
      case "unknown send":
        emulator.failSend({ kind: "cut_after" });
        return armed.add(kind);
      case "failed send":
        emulator.failSend(random.chance(0.5) ? { kind: "cut_before" } : { kind: "error", code: "503" });
        return armed.add(kind);
    }
  }

  return {
    name: "whatsapp",
    config: `whatsapp: {phone_number: "15550000001", mode: bot, send_read_receipts: true, library: "${LIBRARY}", api_url: "${emulator.url}"}`,
    places: [dm(people[0]!), dm(people[1]!), dm(people[2]!), room],
    longChars: 14_000,
    numbersEvents: false,
    droppedTokens: () => emulator.droppedTokens(),
    begin,
    async calm() {
      unmet = armed.last(emulator.armed);
      emulator.clearFaults();
      emulator.duplicate = false;
      emulator.deliveries.release();
      if (!emulator.server.isUp) await emulator.start();
    },
    get unmet() {
      return unmet;
    },
    unansweredAtMs: () => emulator.cutsAtMs,
    close: () => emulator.close(),
  };
}
