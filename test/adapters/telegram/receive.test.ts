import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench, until } from "./support.js";

let bench: Bench;

beforeEach(async () => {
  bench = new Bench();
  await bench.emulator.start();
});

afterEach(() => bench.close());

describe("receiving", () => {
  it("retries after the inbox failed, and confirms nothing meanwhile", async () => {
    const { emulator, gateway } = bench;
    gateway.failing = true;
    const adapter = await bench.connected();
    emulator.users.writeDm(emulator.users.person("Ann"), "hello");
    await until("it was tried twice", () => gateway.attempts >= 2);
    expect(emulator.updates.pending).toHaveLength(1);
    await until("it is reported", () => adapter.health().state === "degraded");
    await until("it was tried often", () => gateway.attempts >= 5);
    expect(bench.log).toHaveLength(1);
    gateway.failing = false;
    await until("it is received", () => gateway.texts.length === 1);
    await until("it is confirmed", () => emulator.updates.pending.length === 0);
  });

  it("gives a message that Telegram delivers twice the same event id", async () => {
    const { emulator, gateway } = bench;
    await bench.connected();
    const { update } = emulator.users.writeDm(emulator.users.person("Ann"), "hello");
    await until("it is confirmed", () => emulator.updates.confirmed === update.update_id + 1);
    emulator.updates.put(update);
    await until("it came again", () => gateway.received.length === 2);
    expect(new Set(gateway.received.map((message) => message.eventId)).size).toBe(1);
  });

  it("keeps the order of writing when a batch comes newest first", async () => {
    const { emulator, gateway } = bench;
    emulator.faults.reorder = true;
    const ann = emulator.users.person("Ann");
    for (const text of ["one", "two", "three"]) emulator.users.writeDm(ann, text);
    await bench.connected();
    await until("all are received", () => gateway.received.length === 3);
    expect(gateway.texts).toEqual(["one", "two", "three"]);
  });

  it("continues when update ids restart at a lower number", async () => {
    const { emulator, gateway } = bench;
    emulator.updates.restartIdsAt(900);
    await bench.connected();
    const ann = emulator.users.person("Ann");
    emulator.users.writeDm(ann, "before");
    await until("it is confirmed", () => emulator.updates.confirmed === 901);
    emulator.updates.restartIdsAt(20);
    emulator.users.writeDm(ann, "after");
    await until("it is received", () => gateway.texts.includes("after"));
    await until("it is confirmed", () => emulator.updates.pending.length === 0);
  });

  it("receives from one chat while another chat's message fails", async () => {
    const { emulator, gateway } = bench;
    const receive = gateway.receive.bind(gateway);
    let broken = true;
    gateway.receive = (message) =>
      broken && message.text === "poison" ? Promise.reject(new Error("no")) : receive(message);
    emulator.users.writeDm(emulator.users.person("Ann"), "poison");
    emulator.users.writeDm(emulator.users.person("Bob"), "fine");
    await bench.connected();
    await until("the other is received", () => gateway.texts.includes("fine"));
    expect(emulator.updates.confirmed).toBe(0);
    broken = false;
    await until("both are received", () => gateway.texts.includes("poison"));
  });
});

describe("after downtime", () => {
  it("receives pending messages with the time when they were written", async () => {
    const { emulator, gateway } = bench;
    const date = Math.floor(Date.now() / 1000) - 3600;
    emulator.users.writeDm(emulator.users.person("Ann"), { text: "are you there?", date });
    await bench.connected();
    await until("it is received", () => gateway.received.length === 1);
    expect(gateway.received[0]?.sentAt).toBe(date);
    expect(emulator.callsOf("deleteWebhook")[0]?.payload).toEqual({ drop_pending_updates: false });
  });
});

describe("edits and moves", () => {
  it("reports when a group becomes a supergroup", async () => {
    const { emulator, gateway } = bench;
    await bench.connected();
    const group = emulator.chats.make("group");
    const moved = emulator.users.upgrade(group);
    await until("both chats have told", () => gateway.moves.length === 2);
    expect(gateway.moves[0]).toEqual([String(group.id), String(moved.id)]);
    expect(gateway.moves[1]).toEqual([String(group.id), String(moved.id)]);
    expect(gateway.received).toEqual([]);
  });
});
