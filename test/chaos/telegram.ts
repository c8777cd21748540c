import type { Random } from "../../bench/random.js";
import { sectionOf } from "../emulators/emulated.js";
import {
  type EmulatedChat,
  type Person,
  TelegramEmulator,
  type WireUpdate,
} from "../emulators/telegram/index.js";
import { Armed, type EndFault, type FaultKind, nothing, type Place, type Platform } from "./platform.js";

const REDELIVERED = 5;

export async function telegram(): Promise<Platform> {
  const emulator = await new TelegramEmulator().start();
  const { faults, users, chats } = emulator;
  const people = ["Ann", "Bob", "Cy"].map((name) => users.person(name));
  const chatIds: number[] = [];
  const updates: WireUpdate[] = [];
  const armed = new Armed();
  let unmet: Platform["unmet"] = {};

  const write = (chat: EmulatedChat, from: Person, text: string, topic?: number) => {
    const { update } = users.write(chat, { from, text, ...(topic === undefined ? {} : { topic }) });
    updates.push(update);
  };
  const seen = (chat: EmulatedChat, topic?: number) => {
    chatIds.push(chat.id);
    return () =>
      emulator
        .said(chat.id)
        .filter(({ threadId }) => threadId === topic)
        .map(({ text, at }) => ({ text, atMs: at }));
  };

  const dm = (person: Person): Place => {
    const chat = chats.privateWith(person);
    const name = `dm ${person.first_name}`;
    const say = (_: number, text: string) => {
      write(chat, person, text);
      return name;
    };
    return { name, people: 1, say, seen: seen(chat) };
  };
  const group = (): Place => {
    const chat = chats.make("supergroup", { title: "Friends" });
    const say = (person: number, text: string) => {
      write(chat, people[person]!, text);
      return `group ${people[person]!.first_name}`;
    };
    return { name: "group", people: people.length, say, seen: seen(chat) };
  };
  const topic = (): Place => {
    const chat = chats.make("supergroup", { title: "Forum", forum: true });
    const id = chats.topic(chat.id);
    const say = (person: number, text: string) => {
      write(chat, people[person]!, text, id);
      return "topic";
    };
    return { name: "topic", people: people.length, say, seen: seen(chat, id) };
  };

  async function begin(kind: FaultKind, random: Random): Promise<EndFault> {
    switch (kind) {
      case "duplicate":
        // Also what was confirmed long ago: as when a confirmation gets lost.
        for (const update of updates.slice(-REDELIVERED))
          if (random.chance(0.5)) emulator.updates.put(update);
        faults.duplicate = true;
        return () => {
          faults.duplicate = false;
        };
      case "reorder":
        faults.reorder = true;
        return () => {
          faults.reorder = false;
        };
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
        faults.flood(random.chance(0.2) ? "*" : random.pick(chatIds), 1);
        return nothing;
      case "unknown send":
        faults.dropAfter("sendMessage");
        return armed.add(kind);
      case "failed send":
        if (random.chance(0.5)) faults.dropBefore("sendMessage");
        else faults.badGateway("sendMessage");
        return armed.add(kind);
    }
  }

  return {
    name: "telegram",
    config: sectionOf("telegram", { ...emulator.settings, group_messages_per_minute: 0 }),
    places: [dm(people[0]!), dm(people[1]!), group(), topic()],
    longChars: 14_000,
    numbersEvents: true,
    begin,
    async calm() {
      unmet = armed.last(faults.armed);
      faults.clear();
    },
    get unmet() {
      return unmet;
    },
    unansweredAtMs: () => emulator.calls.filter(({ code }) => code === undefined).map(({ at }) => at),
    close: () => emulator.close(),
  };
}
