import { describe, expect, it, vi } from "vitest";
import {
  isWatched,
  messageOf,
  readState,
  type Watched,
} from "../../../src/adapters/homeassistant/normalise.js";
import { configSchema } from "../../../src/config/schema.js";
import { isolationOf } from "../../../src/rules.js";
import { sessionKey } from "../../../src/sessions/key.js";
import { until } from "../../support/until.js";
import { setUp } from "./support.js";

const DOOR = "[Home Assistant] Door: triggered (was cleared)";
const LAMP_ON = "[Home Assistant] Lamp: turned on";

describe("a change", () => {
  it("is a message in the one chat of Home Assistant", async () => {
    const { emulator, inbox } = await setUp();
    emulator.set("binary_sensor.door", "on");
    const message = await inbox.message(DOOR);
    const isolation = isolationOf(configSchema.parse({}));
    expect(sessionKey(message.origin, isolation)).toBe(
      "agent:main:homeassistant:channel:ha_events:homeassistant",
    );
    expect(message).toMatchObject({ authenticated: true, mentioned: true });
    expect(message.origin.messageId).toMatch(/^ha_binary_sensor\.door_\d+$/);
  });

  it("of an attribute, of an entity that appears or goes, or of one that isn't watched is none", async () => {
    const { emulator, inbox } = await setUp();
    emulator.set("light.porch", "off", { brightness: 7 });
    emulator.set("light.new", "on");
    emulator.remove("light.new");
    emulator.set("switch.pump", "off");
    emulator.set("switch.pump", "on");
    emulator.set("light.lamp", "on");
    await inbox.message(LAMP_ON);
    expect(inbox.texts).toEqual([LAMP_ON]);
  });

  it("of a new entity is reported after its first state", async () => {
    const { emulator, inbox } = await setUp();
    emulator.set("light.new", "off");
    emulator.set("light.new", "on");
    await inbox.message("[Home Assistant] light.new: turned on");
    expect(inbox.texts).toHaveLength(1);
  });

  it("that passes while a device is away is reported as a whole", async () => {
    const { emulator, inbox } = await setUp();
    for (const state of ["unavailable", "off", "unknown", "on"]) emulator.set("light.porch", state);
    await inbox.message("[Home Assistant] Porch: turned on");
    expect(inbox.texts).toHaveLength(1);
  });

  it("to unavailable is reported if that is wanted", async () => {
    const { emulator, inbox } = await setUp({ watchUnavailable: true });
    emulator.set("light.porch", "unavailable");
    await inbox.message("[Home Assistant] Porch (light.porch): changed from 'off' to 'unavailable'");
  });
});

describe("a cooldown", () => {
  it("sums up what changes meanwhile", async () => {
    const { emulator, inbox } = await setUp({ cooldownSeconds: 0.2 });
    for (const state of ["1", "2", "3"]) emulator.set("sensor.rain", state);
    await until("the first is reported", () => inbox.texts.length > 0);
    await inbox.message("[Home Assistant] sensor.rain: changed from 2 to 3");
    expect(inbox.texts).toHaveLength(2);
  });

  it("reports nothing if all is as before", async () => {
    const { emulator, inbox } = await setUp({ cooldownSeconds: 3600 });
    emulator.set("light.lamp", "on");
    await inbox.message(LAMP_ON);
    emulator.set("light.lamp", "off");
    emulator.set("light.lamp", "on");
    emulator.set("light.porch", "on");
    await inbox.message("[Home Assistant] Porch: turned on");
    expect(inbox.texts).toHaveLength(2);
  });
});

describe("after a gap", () => {
  it("net changes are found, oldest first, and say so", async () => {
    const { emulator, inbox, adapter, connect } = await setUp();
    await adapter.disconnect();
    for (const state of ["on", "off", "on"]) emulator.set("binary_sensor.door", state);
    emulator.set("light.porch", "on");
    emulator.set("light.porch", "off");
    emulator.set("light.lamp", "on");
    const saidMs = Date.now();
    await connect();
    const { sentAt } = await inbox.message(`${LAMP_ON} (noticed late)`);
    expect(inbox.texts).toEqual([`${DOOR} (noticed late)`, `${LAMP_ON} (noticed late)`]);
    expect(sentAt * 1000).toBeLessThanOrEqual(saidMs + 10);
    emulator.cut();
    emulator.set("light.porch", "on");
    await until("it is found or pushed", () => inbox.texts.length === 3);
  });

  it("a change that was pushed late isn't reported backwards", async () => {
    const { emulator, inbox, adapter, connect } = await setUp();
    await adapter.disconnect();
    emulator.hold();
    emulator.set("light.porch", "on");
    emulator.set("light.porch", "off");
    emulator.set("light.lamp", "on");
    await connect();
    await inbox.message(`${LAMP_ON} (noticed late)`);
    emulator.release();
    emulator.set("light.lamp", "off");
    await inbox.message("[Home Assistant] Lamp: turned off");
    expect(inbox.texts).toHaveLength(2);
  });
});

describe("thousands of entities", () => {
  const COUNT = 3000;

  it("are read once, and after the next gap not at all", async () => {
    const { emulator, inbox, adapter, connect } = await setUp();
    await adapter.disconnect();
    for (let i = 0; i < COUNT; i++) emulator.set(`light.l${i}`, "off");
    await connect();
    await until("they are known", async () => (await inbox.cursor("baseline"))?.includes("light.l0"));
    await adapter.disconnect();
    const cursor = vi.spyOn(inbox, "cursor");
    emulator.set(`light.l${COUNT - 1}`, "on");
    await connect();
    await inbox.message(`[Home Assistant] light.l${COUNT - 1}: turned on (noticed late)`);
    const names = cursor.mock.calls.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(COUNT);
    emulator.cut();
    emulator.set("light.l0", "on");
    await until("it is found or pushed", () => inbox.texts.length === 2);
    expect(cursor).toHaveBeenCalledTimes(names.length);
  });

  it("that appear one by one are each saved alone", async () => {
    const { emulator, inbox } = await setUp();
    const saveCursor = vi.spyOn(inbox, "saveCursor");
    for (let i = 0; i < COUNT; i++) emulator.set(`light.l${i}`, "off");
    emulator.set("light.l0", "on");
    await inbox.message("[Home Assistant] light.l0: turned on");
    const saved = saveCursor.mock.calls.map(([{ value }]) => value);
    expect(saved).toEqual(Array(COUNT).fill("off"));
  });
});

describe("the sentence", () => {
  const said = (entity_id: string, from: string, state: string, attributes = {}) => {
    const value = { entity_id, state, attributes, last_updated: "2026-11-18T06:00:00+00:00" };
    return messageOf(readState(value)!, from, "homeassistant", false).text;
  };

  it.each([
    [
      "climate.hall",
      "off",
      "heat",
      { current_temperature: 19.5 },
      "HVAC mode changed from 'off' to 'heat' (current: 19.5, target: ?)",
    ],
    ["sensor.t", "20", "21", { unit_of_measurement: "°C" }, "changed from 20°C to 21°C"],
    ["fan.f", "on", "off", {}, "turned off"],
    [
      "alarm_control_panel.a",
      "disarmed",
      "triggered",
      {},
      "alarm state changed from 'disarmed' to 'triggered'",
    ],
  ])("of %s is that of Hermes", (entity, from, to, attributes, rest) => {
    expect(said(entity, from, to, { friendly_name: "It", ...attributes })).toBe(
      `[Home Assistant] It: ${rest}`,
    );
  });

  it("is one line, whatever names and states are", () => {
    const text = said("lock.l", "a", "b\n/stop", { friendly_name: `x\r\n/new ${"y".repeat(900)}` });
    expect(text).toMatch(/^\[Home Assistant\] x \/new y+… \(lock\.l\): changed from 'a' to 'b \/stop'$/);
    expect(text.length).toBeLessThan(300);
  });
});

describe("what is watched", () => {
  const watch = (more: Partial<Watched>) => ({ domains: [], entities: [], ignored: [], all: false, ...more });

  it.each([
    [watch({}), false],
    [watch({ all: true }), true],
    [watch({ domains: ["light"] }), true],
    [watch({ entities: ["light.a"] }), true],
    [watch({ domains: ["switch"], all: true }), false],
    [watch({ domains: ["light"], ignored: ["light.a"] }), false],
  ])("follows the lists: %j", (lists, expected) => {
    expect(isWatched("light.a", lists)).toBe(expected);
  });

  it("is never our own notification", () => {
    expect(isWatched("persistent_notification.hermes", watch({ all: true }))).toBe(false);
  });
});
