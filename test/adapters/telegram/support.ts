/** An adapter connected to the emulator, and a gateway that can be made to wait or fail. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AdapterEvents, MessageEdit, MessageRef } from "../../../src/adapters/adapter.js";
import {
  type TelegramAdapter,
  type TelegramOptions,
  telegramAdapter,
} from "../../../src/adapters/telegram/index.js";
import { SendError } from "../../../src/errors.js";
import type { InboundMessage, Target } from "../../../src/message.js";
import { type EmulatorOptions, TelegramEmulator } from "../../emulators/telegram/index.js";
import type { Outgoing } from "../../support/send.js";

/** Short, for quick tests; long polls still outlast every test. */
export const QUICK = {
  pollSeconds: 20,
  callMs: 3000,
  backoff: { firstMs: 10, maxMs: 50 },
  refusedMs: 50,
  conflictMs: 200,
  webhookCheckMs: 40,
};

export class FakeGateway implements AdapterEvents {
  readonly received: InboundMessage[] = [];
  readonly edits: MessageEdit[] = [];
  readonly moves: [string, string][] = [];
  /** How often `receive` was called, also when it failed. */
  attempts = 0;
  failing = false;
  #gate: Promise<void> = Promise.resolve();
  #open = () => undefined as undefined;

  /** Nothing is accepted until `letIn`. */
  hold(): void {
    this.#gate = new Promise((resolve) => {
      this.#open = () => void resolve();
    });
  }

  letIn(): void {
    this.#open();
  }

  async receive(message: InboundMessage): Promise<void> {
    this.attempts += 1;
    await this.#gate;
    if (this.failing) throw new Error("the disk is full");
    this.received.push(message);
  }

  async edited(edit: MessageEdit): Promise<void> {
    this.edits.push(edit);
  }

  async deleted(_: MessageRef): Promise<void> {}

  async cursor(): Promise<string | undefined> {
    return undefined;
  }

  async saveCursor(): Promise<void> {}

  async chatMoved(from: string, to: string): Promise<void> {
    this.moves.push([from, to]);
  }

  get texts(): string[] {
    return this.received.map((message) => message.text);
  }
}

export interface LogLine {
  level: string;
  message: string;
  fields: Record<string, unknown> | undefined;
}

export class Bench {
  readonly emulator: TelegramEmulator;
  readonly gateway = new FakeGateway();
  readonly log: LogLine[] = [];
  readonly #adapters: TelegramAdapter[] = [];
  readonly #stop = new AbortController();

  constructor(options: EmulatorOptions = {}) {
    this.emulator = new TelegramEmulator(options);
  }

  adapter(options: Partial<TelegramOptions> = {}): TelegramAdapter {
    const adapter = telegramAdapter({
      token: this.emulator.token,
      apiUrl: this.emulator.url,
      log: (level, message, fields) => this.log.push({ level, message, fields }),
      ...options,
      timing: { ...QUICK, ...options.timing },
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  async connected(options: Partial<TelegramOptions> = {}): Promise<TelegramAdapter> {
    const adapter = this.adapter(options);
    await adapter.connect(this.gateway, this.#stop.signal);
    return adapter;
  }

  async close(): Promise<void> {
    this.gateway.letIn();
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    await this.emulator.close();
  }
}

export async function until(what: string, isSo: () => boolean, withinMs = 8000): Promise<void> {
  for (const endMs = Date.now() + withinMs; !isSo(); await sleep(5))
    if (Date.now() > endMs) throw new Error(`timed out waiting until ${what}`);
}

let nextId = 1;

export function outbound(target: Partial<Target>, text: string, more: Partial<Outgoing> = {}): Outgoing {
  const id = nextId++;
  return {
    id,
    nonce: `nonce-${id}`,
    kind: "answer",
    target: {
      platform: "telegram",
      account: "4200",
      chatType: "dm",
      chatId: null,
      threadId: null,
      userId: null,
      replyTo: null,
      ...target,
    },
    text,
    turnId: null,
    ...more,
  };
}

export const patience = () => AbortSignal.timeout(5000);

export async function failureOf(work: Promise<unknown>): Promise<SendError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SendError)) throw new Error(`expected a SendError, not ${String(error)}`);
  return error;
}
