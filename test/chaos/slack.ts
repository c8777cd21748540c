import type { Random } from "../../bench/random.js";
import { sectionOf } from "../emulators/emulated.js";
import { SlackEmulator, type StoredMessage, visibleText } from "../emulators/slack/index.js";
import { Armed, type EndFault, type FaultKind, nothing, type Place, type Platform } from "./platform.js";

const PEOPLE = ["U1", "U2", "U3"];
const REDELIVERED = 5;
/** What makes a message. */
const SENDS = ["chat.postMessage", "chat.startStream"];

export async function slack(): Promise<Platform> {
  const emulator = await new SlackEmulator().start();
  const { faults, workspace, deliveries, sockets } = emulator;
  const armed = new Armed();
  let unmet: Platform["unmet"] = {};
  const mention = `<@${workspace.botUser}> `;
  emulator.room("D1", "im", ["U1"]);
  emulator.room("D2", "im", ["U2"]);
  emulator.room("C1", "channel", PEOPLE, "general");
  emulator.room("C2", "channel", PEOPLE, "talk");
  emulator.room("G1", "mpim", PEOPLE);
  const root = emulator.say({ channel: "C2", user: "U1", text: "Let us talk here", silently: true });

  const seen = (channel: string) => () =>
    workspace.seen(channel).map((message: StoredMessage) => ({
      text: visibleText(message),
      atMs: Number(message.ts) * 1000,
    }));
  const dm = (channel: string, user: string): Place => {
    const say = (_: number, text: string) => {
      emulator.say({ channel, user, text });
      return channel;
    };
    return { name: channel, people: 1, say, seen: seen(channel) };
  };
  /** Each question there is answered in a thread of its own. */
  const room = (channel: string): Place => {
    const say = (person: number, text: string) => {
      const { ts } = emulator.say({ channel, user: PEOPLE[person]!, text: mention + text });
      return `${channel} ${ts}`;
    };
    return { name: channel, people: PEOPLE.length, say, seen: seen(channel) };
  };
  /** Once everybody has called the bot there, it listens to everything. */
  const thread = (channel: string): Place => {
    let said = 0;
    const say = (person: number, text: string) => {
      const called = said++ < PEOPLE.length ? mention + text : text;
      emulator.say({ channel, user: PEOPLE[person]!, text: called, threadTs: root.ts });
      return "thread";
    };
    return { name: "thread", people: PEOPLE.length, say, seen: seen(channel) };
  };

  async function begin(kind: FaultKind, random: Random): Promise<EndFault> {
    switch (kind) {
      case "duplicate":
        for (const delivery of deliveries.all.filter(({ state }) => state === "acked").slice(-REDELIVERED))
          if (random.chance(0.5)) deliveries.repeat(delivery);
        emulator.duplicateNext(random.between(1, 4));
        return nothing;
      case "reorder":
        deliveries.hold();
        return () => deliveries.release("reversed");
      case "outage":
        emulator.outage(true);
        return () => emulator.outage(false);
      case "disconnect":
        if (random.chance(0.6)) sockets.cut();
        else sockets.refresh();
        return nothing;
      case "rate limit":
        faults.next(SENDS, { kind: "rate_limit", seconds: 1 });
        return armed.add(kind);
      case "unknown send":
        faults.next(SENDS, { kind: "cut_after" });
        return armed.add(kind);
      case "failed send":
        faults.next(SENDS, random.chance(0.5) ? { kind: "cut_before" } : { kind: "status", status: 502 });
        return armed.add(kind);
    }
  }

  return {
    name: "slack",
    config: sectionOf("slack", { ...emulator.settings, dm_top_level_threads_as_sessions: false }),
    places: [dm("D1", "U1"), dm("D2", "U2"), room("C1"), room("G1"), thread("C2")],
    longChars: 40_000,
    numbersEvents: false,
    begin,
    async calm() {
      unmet = armed.last(faults.armed);
      faults.clear();
      emulator.outage(false);
      deliveries.release("reversed");
    },
    get unmet() {
      return unmet;
    },
    unansweredAtMs: () => [],
    close: () => emulator.close(),
  };
}
