import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Adapter, CanRegisterCommands, MenuCommand } from "../../src/adapters/adapter.js";
import { HermesError, SendError } from "../../src/errors.js";
import { Events, type GatewayEvent } from "../../src/events.js";
import { Connecting, pauseMs } from "../../src/pipeline/connect.js";
import { FakeInbox, makeAdapter, startEmulator } from "../adapters/discord/support.js";
import { until } from "../support/until.js";

const QUICK = { firstMs: 1, longestMs: 4, firstRefusedMs: 1, longestRefusedMs: 4 };
const MENU: MenuCommand[] = [{ name: "new", description: "Start anew" }];

/** A platform that fails this often, in this way, before it accepts the connection. */
class Stubborn implements Adapter, CanRegisterCommands {
  readonly platform = "test";
  readonly account = "bot";
  readonly limits = { length: 100, unit: "utf16" } as const;
  attempts = 0;
  goodbyes = 0;
  menus = 0;
  readonly #errors: readonly Error[];
  readonly #menuErrors: readonly Error[];

  constructor(errors: readonly Error[], menuErrors: readonly Error[] = []) {
    this.#errors = errors;
    this.#menuErrors = menuErrors;
  }

  async connect(): Promise<void> {
    const error = this.#errors[this.attempts++];
    if (error) throw error;
  }

  async registerCommands(): Promise<void> {
    const error = this.#menuErrors[this.menus++];
    if (error) throw error;
  }

  async disconnect(): Promise<void> {
    this.goodbyes += 1;
  }

  health() {
    return { state: "ok", lastProofAt: null } as const;
  }

  render() {
    return [{}];
  }

  async sendPart(): Promise<never> {
    throw new SendError("never_sent", "no");
  }
}

function connecting(adapter: Adapter, pauses = QUICK) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const seen: GatewayEvent["type"][] = [];
  const events = new Events(() => undefined);
  events.watch("test", ({ type }) => seen.push(type));
  const intake = new FakeInbox();
  const connecting = new Connecting({ adapter, intake, menu: MENU, events, signal: stop.signal, pauses });
  return { connecting, seen, stop, intake };
}

const refused = () => new HermesError("refused", "the platform says no");
const times = (type: string, seen: readonly string[]) => seen.filter((one) => one === type).length;

describe("connecting a platform", () => {
  it("is retried after any failure, until it succeeds", async () => {
    const adapter = new Stubborn([new Error("cursor not read"), refused(), refused()]);
    const { connecting: it, seen } = connecting(adapter);
    await it.start();
    await until("it is connected", () => seen.includes("platform-connected"));
    expect(seen).toEqual(["platform-failed", "platform-failed", "platform-failed", "platform-connected"]);
    expect(adapter).toMatchObject({ attempts: 4, goodbyes: 3 });
  });

  it("isn't retried with invalid settings", async () => {
    const adapter = new Stubborn([new HermesError("invalid", "no token")]);
    const { connecting: it, seen, stop } = connecting(adapter);
    await it.start();
    stop.abort();
    expect(seen).toEqual(["platform-failed"]);
    expect(adapter).toMatchObject({ attempts: 1, goodbyes: 0 });
  });

  it("stops with the gateway, even during a pause", async () => {
    const adapter = new Stubborn([refused(), refused()]);
    const slow = { firstMs: 60_000, longestMs: 60_000, firstRefusedMs: 60_000, longestRefusedMs: 60_000 };
    const { connecting: it, stop } = connecting(adapter, slow);
    await it.start();
    stop.abort();
    expect(adapter.attempts).toBe(1);
  });

  it("retries setting the menu after a failure, and reports it once", async () => {
    const away = () => new SendError("never_sent", "not reachable");
    const adapter = new Stubborn([], [away(), away(), away()]);
    const { connecting: it, seen } = connecting(adapter);
    await it.start();
    await until("the menu is set", () => adapter.menus === 4);
    expect(times("menu-failed", seen)).toBe(1);
    expect(times("platform-connected", seen)).toBe(1);
  });

  it("doesn't retry a menu that the platform rejects", async () => {
    const adapter = new Stubborn([], [new SendError("refused", "too many commands")]);
    const { connecting: it, seen } = connecting(adapter);
    await it.start();
    await until("it is told", () => seen.includes("menu-failed"));
    expect(adapter.menus).toBe(1);
  });

  it("connects Discord once its intents are enabled, without a restart", async () => {
    const emulator = await startEmulator();
    emulator.allowIntents(0);
    const { adapter } = makeAdapter(emulator);
    onTestFinished(() => adapter.disconnect());
    const { connecting: it, seen, intake } = connecting(adapter, { ...QUICK, firstRefusedMs: 50 });
    await it.start();
    expect(adapter.health()).toMatchObject({
      state: "down",
      detail: expect.stringContaining("Message Content"),
    });
    emulator.allowIntents(0x7fff_ffff);
    await until("it is connected", () => seen.includes("platform-connected"));
    const ada = emulator.user("Ada");
    emulator.say(ada, emulator.dm(ada), "hello");
    await intake.message("hello");
    expect(adapter.health().state).toBe("ok");
  });
});

describe("connection backoff", () => {
  it("grows up to a limit, and at least half of each delay is fixed", () => {
    const number = fc.integer({ min: 1, max: 10_000 });
    const chance = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.nat(60), number, number, chance, (failures, firstMs, moreMs, random) => {
        const longestMs = firstMs + moreMs;
        const ms = pauseMs(failures, firstMs, longestMs, () => random);
        const ceiling = Math.min(longestMs, firstMs * 2 ** Math.min(failures, 20));
        expect(ms).toBeGreaterThanOrEqual(ceiling / 2);
        expect(ms).toBeLessThanOrEqual(longestMs);
      }),
    );
  });
});
