import { expect, it } from "vitest";
import type { AdapterEvents, Cursor } from "../../../src/adapters/adapter.js";
import type { InboundMessage } from "../../../src/message.js";
import { send } from "../../support/send.js";
import { until } from "../../support/until.js";
import { answer, FakeInbox, makeAdapter, soon, startEmulator } from "./support.js";

/** A process's access to the disk: after it is killed, nothing that it does counts. */
class Mortal implements AdapterEvents {
  readonly #disk: FakeInbox;
  #killed = false;

  constructor(disk: FakeInbox) {
    this.#disk = disk;
  }

  kill(): void {
    this.#killed = true;
  }

  #alive<T>(work: () => Promise<T>): Promise<T> {
    return this.#killed ? new Promise(() => {}) : work();
  }

  receive = (message: InboundMessage, cursor?: Cursor) =>
    this.#alive(() => this.#disk.receive(message, cursor));
  edited: AdapterEvents["edited"] = (edit) => this.#alive(() => this.#disk.edited(edit));
  deleted: AdapterEvents["deleted"] = (ref) => this.#alive(() => this.#disk.deleted(ref));
  cursor = (name: string) => this.#alive(() => this.#disk.cursor(name));
  saveCursor = (cursor: Cursor) => this.#alive(() => this.#disk.saveCursor(cursor));
  chatMoved = () => this.#alive(() => this.#disk.chatMoved());
}

const ROUNDS = Number(process.env.DISCORD_CHAOS_ROUNDS ?? 8);

// People write all the time. The process is killed at any moment, sometimes with events in flight; Discord cuts
// connections, forgets sessions and delivers twice; replies to our requests get lost.
it("loses no message and sends none twice, whenever the process is killed", {
  timeout: 120_000,
}, async () => {
  const emulator = await startEmulator({ messageLimit: { count: 1000, perMs: 1000 } });
  const disk = new FakeInbox();
  const people = Array.from({ length: 4 }, (_, i) => emulator.user(`User ${i}`));
  const channel = emulator.channel(emulator.guild("S"), "c");
  const places = [channel, ...people.map((person) => emulator.dm(person))];
  let count = 0;
  const saySomething = () => {
    const place = places[count % places.length]!;
    const person = place === channel ? people[0]! : people[places.indexOf(place) - 1]!;
    count += 1;
    emulator.say(person, place, `message ${count}`);
  };
  const answered = new Set<string>();
  // Discord doesn't list direct messages: the bot must know one to look there.
  const first = makeAdapter(emulator);
  await first.adapter.connect(disk, first.stop.signal);
  for (const _ of places) saySomething();
  await until("all places are known", () => disk.received.length === places.length);
  await first.adapter.disconnect();

  for (let round = 0; round < ROUNDS; round++) {
    const mortal = new Mortal(disk);
    const { adapter, stop } = makeAdapter(emulator);
    emulator.faults.duplicateEvents = round % 3 === 1;
    const before = disk.received.length;
    for (let i = 0; i < 10; i++) saySomething();
    const connecting = adapter.connect(mortal, stop.signal);
    for (let i = 0; i < 10; i++) saySomething();
    await connecting;
    for (let i = 0; i < 10; i++) saySomething();
    if (round % 2 === 0) emulator.gateway.cut();
    for (let i = 0; i < 5; i++) saySomething();
    await until("some of it is in", () => disk.received.length > before + ((round * 7) % 20));
    // An answer is sent, Discord's reply is lost, and the answer is sent again.
    const open = disk.received.find(({ eventId }) => !answered.has(eventId))!;
    answered.add(open.eventId);
    emulator.faults.arm("POST", /messages$/, { kind: "drop_after" });
    const reply = answer(open, `re: ${open.text}`);
    await until("it is sent", () =>
      send(adapter, reply, soon()).then(
        () => true,
        () => undefined,
      ),
    );
    for (let i = 0; i < 5; i++) saySomething();
    mortal.kill();
    if (round % 4 === 3) emulator.gateway.forgetSessions();
    emulator.gateway.cut();
    void adapter.disconnect();
  }

  const last = makeAdapter(emulator);
  emulator.faults.clear();
  await last.adapter.connect(disk, last.stop.signal);
  await until("everything is in", () => disk.received.length >= count, { found: () => disk.received.length });
  for (const { id } of places) {
    const ids = disk.received
      .filter(({ origin }) => origin.chatId === id)
      .map(({ eventId }) => BigInt(eventId));
    expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : 1)));
  }
  const said = places.flatMap((place) => emulator.said(place).map(({ text }) => text));
  expect(new Set(disk.texts).size).toBe(count);
  expect(said.sort()).toEqual([...new Set(said)].sort());
  expect(said).toHaveLength(answered.size);
});
