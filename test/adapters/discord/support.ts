/** The adapter with the real SDK and the emulator, and an inbox that tests can inspect and break. */
import { onTestFinished } from "vitest";
import type { AdapterEvents, Cursor, MessageEdit, MessageRef } from "../../../src/adapters/adapter.js";
import { type DiscordOptions, discordAdapter } from "../../../src/adapters/discord/index.js";
import { type InboundMessage, type Target, targetOf } from "../../../src/message.js";
import { DiscordEmulator, type EmulatorOptions } from "../../emulators/discord/index.js";
import type { Outgoing } from "../../support/send.js";
import { until } from "../../support/until.js";

export async function startEmulator(options: EmulatorOptions = {}): Promise<DiscordEmulator> {
  const emulator = new DiscordEmulator({
    heartbeatMs: 200,
    messageLimit: { count: 50, perMs: 1000 },
    ...options,
  });
  await emulator.start();
  onTestFinished(() => emulator.close());
  return emulator;
}

/** The gateway's stored state; it outlives an adapter. */
export class FakeInbox implements AdapterEvents {
  readonly received: InboundMessage[] = [];
  readonly copies: InboundMessage[] = [];
  readonly edits: MessageEdit[] = [];
  readonly deletes: MessageRef[] = [];
  readonly cursors = new Map<string, string>();
  /** How many of the next `receive` calls fail. */
  failures = 0;
  /** While set, `receive` waits for it. */
  gate: Promise<void> | undefined;
  waiting = 0;

  async receive(message: InboundMessage, cursor?: Cursor): Promise<void> {
    this.waiting += 1;
    await this.gate;
    this.waiting -= 1;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("database is locked");
    }
    const known = this.received.some(({ eventId }) => eventId === message.eventId);
    (known ? this.copies : this.received).push(message);
    if (cursor) this.cursors.set(cursor.name, cursor.value);
  }

  async edited(edit: MessageEdit): Promise<void> {
    this.edits.push(edit);
  }

  async deleted(ref: MessageRef): Promise<void> {
    this.deletes.push(ref);
  }

  async cursor(name: string): Promise<string | undefined> {
    return this.cursors.get(name);
  }

  async saveCursor({ name, value }: Cursor): Promise<void> {
    this.cursors.set(name, value);
  }

  async chatMoved(): Promise<void> {}

  get texts(): string[] {
    return this.received.map(({ text }) => text);
  }

  message(text: string): Promise<InboundMessage> {
    return until(`"${text}" is received`, () => this.received.find((m) => m.text === text), {
      found: () => this.texts,
    });
  }
}

export interface LogLine {
  level: string;
  message: string;
  fields: Readonly<Record<string, unknown>>;
}

export const FAST = {
  reconnect: { firstMs: 20, maxMs: 200 },
  identifyEveryMs: 0,
  receiveRetry: { firstMs: 10, maxMs: 30_000 },
  saveSessionMs: 5,
  requestTimeoutMs: 1000,
  overlapMs: 1000,
};

export function makeAdapter(emulator: DiscordEmulator, options: Partial<DiscordOptions> = {}) {
  const lines: LogLine[] = [];
  const adapter = discordAdapter({
    token: emulator.token,
    apiUrl: emulator.apiUrl,
    log: (level, message, fields = {}) => lines.push({ level, message, fields }),
    ...options,
    timing: { ...FAST, ...options.timing },
  });
  const stop = new AbortController();
  onTestFinished(() => adapter.disconnect());
  return { adapter, lines, stop };
}

/** An emulator, an adapter and an inbox, connected. */
export async function connected(
  options: Partial<DiscordOptions> = {},
  emulatorOptions: EmulatorOptions = {},
  prepare: (emulator: DiscordEmulator) => void = () => {},
) {
  const emulator = await startEmulator(emulatorOptions);
  prepare(emulator);
  const inbox = new FakeInbox();
  const made = makeAdapter(emulator, options);
  await made.adapter.connect(inbox, made.stop.signal);
  return { emulator, inbox, ...made };
}

let outboxId = 0;

export function answer(to: InboundMessage | Target, text: string, more: Partial<Outgoing> = {}): Outgoing {
  const target = "origin" in to ? targetOf(to) : to;
  outboxId += 1;
  return {
    id: outboxId,
    nonce: `nonce-${outboxId}`,
    kind: "answer",
    target,
    text,
    turnId: null,
    ...more,
  };
}

export const soon = () => AbortSignal.timeout(5000);
