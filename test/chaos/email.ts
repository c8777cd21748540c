import type { Random } from "../../bench/random.js";
import { EmailEmulator } from "../emulators/email/index.js";
import { sectionOf } from "../emulators/emulated.js";
import { Armed, type EndFault, type FaultKind, nothing, type Place, type Platform } from "./platform.js";

const REDELIVERED = 5;

export async function email(): Promise<Platform> {
  const emulator = await new EmailEmulator().start();
  const { faults } = emulator.world;
  const armed = new Armed();
  const mails: string[] = [];
  let unmet: Platform["unmet"] = {};

  const dm = (address: string): Place => ({
    name: address,
    people: 1,
    say: (_, text) => {
      mails.push(emulator.say(address, text));
      return address;
    },
    seen: () => emulator.saidTo(address).map(({ text, atMs }) => ({ text, atMs })),
  });

  async function begin(kind: FaultKind, random: Random): Promise<EndFault> {
    switch (kind) {
      case "duplicate":
        for (const raw of mails.slice(-REDELIVERED)) if (random.chance(0.5)) emulator.deliver(raw);
        emulator.duplicate = true;
        return () => {
          emulator.duplicate = false;
        };
      case "reorder":
        emulator.hold();
        return () => emulator.release();
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
        emulator.failSend({ kind: "reply", code: 451, text: "4.7.1 Please try again in 1 seconds" });
        return armed.add(kind);
      case "unknown send":
        emulator.failSend({ kind: "cut_after" });
        return armed.add(kind);
      case "failed send":
        emulator.failSend({ kind: "cut_before" });
        return armed.add(kind);
    }
  }

  return {
    name: "email",
    config: sectionOf("email", emulator.settings),
    places: ["ann", "bob", "cy", "dee"].map((name) => dm(`${name}@people.example`)),
    longChars: 60_000,
    numbersEvents: false,
    begin,
    async calm() {
      unmet = armed.last(emulator.armed);
      emulator.calm();
    },
    get unmet() {
      return unmet;
    },
    unansweredAtMs: () => emulator.unansweredAtMs,
    close: () => emulator.close(),
  };
}
