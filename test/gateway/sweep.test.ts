import path from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.js";
import type { Config } from "../../src/config/schema.js";
import type { GatewayParts } from "../../src/pipeline/parts.js";
import { dueReason } from "../../src/pipeline/resolve.js";
import { resetSettingsOf } from "../../src/rules.js";
import { allRoutes } from "../../src/store/all-routes.js";
import type { RoutePage, RouteRow } from "../../src/store/queues.js";
import { type OpenedStore, openStore } from "../../src/store/sqlite/index.js";
import { verbs } from "../../src/store/sqlite/verbs.js";
import { Sweep } from "../../src/upkeep/sweep.js";
import { tempDir } from "../support/temp.js";

const HOUR = 3600;
const at = (iso: string) => Date.parse(iso) / 1000;

/** A store, and a separate database connection to change the times of routes. */
class World {
  readonly store: OpenedStore;
  readonly db: Database.Database;
  readonly home: string;

  private constructor(home: string, store: OpenedStore) {
    this.home = home;
    this.store = store;
    this.db = new Database(path.join(home, "state.db"), { timeout: 5000 });
  }

  static async open(): Promise<World> {
    const home = tempDir();
    const world = new World(home, await openStore({ path: path.join(home, "state.db"), threads: false }));
    opened.push(world);
    return world;
  }

  async close(): Promise<void> {
    this.db.close();
    await this.store.close();
  }

  async addChats(chats: readonly Chat[]): Promise<void> {
    await this.store.adopt({
      routes: chats.map(({ name, chatType = "dm", platform = "test", activeAt, suspended = false }) => ({
        sessionKey: name,
        sessionId: `session-${name}-${activeAt}`,
        origin: { platform, chatType, chatId: name, userId: name },
        tuple: JSON.stringify([name]),
        createdAt: activeAt,
        updatedAt: activeAt,
        lastPromptTokens: 0,
        flags: { suspended },
      })),
    });
  }

  /** Simulates a message: changes the route like the start of a turn. */
  speak(name: string, activeAt: number): void {
    this.db
      .prepare(
        `UPDATE gw_routes SET epoch = epoch + 1, last_user_activity = max(last_user_activity, ?)
         WHERE session_key = ? AND expired_reason IS NULL`,
      )
      .run(activeAt, name);
  }

  async sweep({ now, settings, busy = [], store = this.store }: SweepRun): Promise<string[]> {
    const ended: string[] = [];
    const parts = {
      ...{ store, config: this.config(settings), owners: ["gateway"], homeDir: this.home },
      routesChanged: () => undefined,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    } as Partial<GatewayParts> as GatewayParts;
    await new Sweep(
      parts,
      (key) => busy.includes(key),
      ({ sessionKey }, reason) => ended.push(`${sessionKey}: ${reason}`),
    ).run(now);
    return ended.sort();
  }

  /** Applies the policy to every route. */
  async wanted({ now, settings, busy = [] }: SweepRun): Promise<string[]> {
    const config = this.config(settings);
    const reset = resetSettingsOf(config);
    const question = { now, timeZone: config.timezone, hasBackgroundWork: false, reset };
    const due = (route: RouteRow) =>
      route.expiredReason || route.origin.platform === "cli" || busy.includes(route.sessionKey)
        ? undefined
        : dueReason(route, question);
    const routes = await allRoutes(this.store);
    return routes.flatMap((r) => (due(r) ? [`${r.sessionKey}: ${due(r)}`] : [])).sort();
  }

  readonly #configs = new Map<string, Config>();

  config(settings: Record<string, unknown>): Config {
    const name = JSON.stringify(settings);
    const flags = { "media.retention_days": 0, ...settings };
    const config = this.#configs.get(name) ?? loadConfig({ home: this.home, env: {}, flags }).config;
    this.#configs.set(name, config);
    return config;
  }
}

interface Chat {
  name: string;
  activeAt: number;
  chatType?: string;
  platform?: string;
  suspended?: boolean;
}

interface SweepRun {
  now: number;
  settings: Record<string, unknown>;
  busy?: readonly string[];
  store?: OpenedStore;
}

const opened: World[] = [];
afterEach(async () => {
  for (const world of opened.splice(0)) await world.close();
});

/** Counts the routes that reads return. */
function counting(store: OpenedStore): { store: OpenedStore; read: () => number } {
  let read = 0;
  const counted = new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        const found = await method(...args);
        if (name === "listRoutes") read += (found as RoutePage).routes.length;
        return found;
      };
    },
  });
  return { store: counted, read: () => read };
}

const idle = (minutes: number) => ({ "session_reset.mode": "idle", "session_reset.idle_minutes": minutes });

describe("a sweep", () => {
  it("reads only routes that may be due", async () => {
    const world = await World.open();
    const start = at("2026-06-16T12:00:00Z");
    const settings = idle(60);
    await world.addChats(
      Array.from({ length: 700 }, (_, n) => ({ name: `c${n}`, activeAt: start - (n === 7 ? 1000 : 0) })),
    );
    expect(await world.sweep({ now: start + 60, settings })).toEqual([]);
    const second = counting(world.store);
    expect(await world.sweep({ now: start + 120, settings, store: second.store })).toEqual([]);
    expect(second.read()).toBe(0);
    const third = counting(world.store);
    expect(await world.sweep({ now: start + 2700, settings, store: third.store })).toEqual(["c7: idle"]);
    expect(third.read()).toBe(1);
  });

  it("uses an index", async () => {
    const world = await World.open();
    const ran: string[] = [];
    const db = new Database(path.join(world.home, "state.db"), {
      readonly: true,
      verbose: (sql) => ran.push(String(sql)),
    });
    verbs.listRoutes(db, { dueBy: 5 });
    db.close();
    expect(ran).toHaveLength(1);
    const plan = world.db.prepare(`EXPLAIN QUERY PLAN ${ran[0]}`).all() as { detail: string }[];
    expect(plan.map(({ detail }) => detail).join("\n")).toMatch(
      /^SEARCH gw_routes USING INDEX gw_routes_due/,
    );
    expect(plan).toHaveLength(1);
  });

  it("handles several pages and skips busy chats and terminals", async () => {
    const world = await World.open();
    const start = at("2026-06-16T12:00:00Z");
    const chats = Array.from({ length: 350 }, (_, n) => ({
      ...{ name: `c${n}`, activeAt: start },
      ...(n % 3 === 0 ? { platform: "cli" } : {}),
    }));
    await world.addChats(chats);
    const busy = chats.slice(0, 200).map(({ name }) => name);
    const run = { now: start + 2 * HOUR, settings: idle(60), busy };
    const wanted = await world.wanted(run);
    expect(wanted).toHaveLength(100);
    expect(await world.sweep(run)).toEqual(wanted);
    const later = { now: start + 3 * HOUR, settings: idle(60) };
    expect((await world.sweep(later)).length).toBe(133);
  });

  it("checks every chat again after a change of settings", async () => {
    const world = await World.open();
    const start = at("2026-06-16T12:00:00Z");
    await world.addChats([{ name: "a", activeAt: start }]);
    expect(await world.sweep({ now: start + HOUR, settings: { "session_reset.mode": "none" } })).toEqual([]);
    expect(await world.sweep({ now: start + HOUR, settings: idle(24 * 60) })).toEqual([]);
    expect(await world.sweep({ now: start + HOUR, settings: idle(30) })).toEqual(["a: idle"]);
  });

  it("finds a session that was suspended after the last sweep", async () => {
    const world = await World.open();
    const start = at("2026-06-16T12:00:00Z");
    await world.addChats([{ name: "a", activeAt: start }]);
    expect(await world.sweep({ now: start, settings: idle(60) })).toEqual([]);
    await world.store.setRouteFlags("a", { suspended: true });
    expect(await world.sweep({ now: start + 60, settings: idle(60) })).toEqual(["a: suspended"]);
  });

  it("checks a chat again after its next session started", async () => {
    const world = await World.open();
    const start = at("2026-06-16T12:00:00Z");
    await world.addChats([{ name: "a", activeAt: start }]);
    expect(await world.sweep({ now: start + 2 * HOUR, settings: idle(60) })).toEqual(["a: idle"]);
    const route = (await world.store.getRoute("a"))!;
    await world.store.switchRoute({
      ...{ sessionKey: "a", origin: route.origin, tuple: route.tuple, at: start + 3 * HOUR },
      ...{ session: { source: "test" }, expectedSessionId: route.sessionId, endReason: "session_reset" },
    });
    expect(await world.sweep({ now: start + 3.5 * HOUR, settings: idle(60) })).toEqual([]);
    expect(await world.sweep({ now: start + 4.1 * HOUR, settings: idle(60) })).toEqual(["a: idle"]);
  });
});

/** Around clock changes: one hour, half an hour, over midnight, and a zone that skipped a day. */
const CHANGES = [
  ["Europe/Berlin", "2026-03-28T12:00:00Z"],
  ["America/New_York", "2026-10-31T12:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T06:00:00Z"],
  ["America/Havana", "2026-11-01T00:00:00Z"],
  ["Pacific/Apia", "2011-12-29T00:00:00Z"],
  ["UTC", "2026-06-16T00:00:00Z"],
] as const;

describe("across clock changes", () => {
  it.each(CHANGES)("in %s, a sweep ends the same sessions as a full check", async (timezone, from) => {
    const begin = at(from);
    const chat = fc.record({
      chatType: fc.constantFrom("dm", "group", "thread"),
      platform: fc.constantFrom("test", "other", "cli"),
      before: fc.integer({ min: 0, max: 30 * HOUR * 1e6 }).map((micros) => micros / 1e6),
      suspended: fc.integer({ min: 0, max: 20 }).map((n) => n === 0),
    });
    const step = fc.record({
      wait: fc.oneof(fc.integer({ min: 30, max: 5 * HOUR }), fc.constantFrom(1, 60, HOUR, 86_400)),
      spoke: fc.array(fc.nat(59), { maxLength: 15 }),
      busy: fc.array(fc.nat(59), { maxLength: 5 }),
    });
    const hour = fc.integer({ min: 0, max: 23 });
    const days = fc.record({
      chats: fc.array(chat, { minLength: 60, maxLength: 60 }),
      steps: fc.array(step, { minLength: 8, maxLength: 16 }),
      hours: fc.tuple(hour, hour),
      idleMinutes: fc.integer({ min: 1, max: 2000 }),
    });
    for (const { chats, steps, hours, idleMinutes } of fc.sample(days, 2)) {
      const world = await World.open();
      const settings = {
        timezone,
        "session_reset.mode": "both",
        "session_reset.at_hour": hours[0],
        "session_reset.idle_minutes": idleMinutes,
        reset_by_type: { group: { mode: "daily", at_hour: hours[1] }, thread: { mode: "none" } },
        reset_by_platform: { other: { mode: "idle", idle_minutes: 90 } },
      };
      await world.addChats(
        chats.map(({ before, ...rest }, n) => ({ ...rest, name: `c${n}`, activeAt: begin - before })),
      );
      let now = begin;
      for (const { wait, spoke, busy } of steps) {
        for (const n of spoke) world.speak(`c${n}`, now + wait / 2);
        now += wait;
        const run = { now, settings, busy: busy.map((n) => `c${n}`) };
        const wanted = await world.wanted(run);
        expect(await world.sweep(run)).toEqual(wanted);
      }
    }
  });
});
