/** An adapter on an emulator, with a gateway that can be told to wait or to fail. */
import { setTimeout as sleep } from "node:timers/promises";
import type { AdapterEvents, MessageEdit, MessageRef } from "../../../src/adapters/adapter.js";
import {
  type TelegramAdapter,
  type TelegramOptions,
  telegramAdapter,
} from "../../../src/adapters/telegram/index.js";
import { SendError } from "../../../src/errors.js";
import type { InboundMessage, OutboundMessage, Target } from "../../../src/message.js";
import { type EmulatorOptions, TelegramEmulator } from "../../emulators/telegram/index.js";

/** Small, so that tests are quick; long polls still last longer than anything in them. */
export const QUICK = {
  pollSeconds: 20,
  callMs: 3000,
  backoffMs: 10,
  longestBackoffMs: 50,
  refusedMs: 50,
  conflictMs: 200,
  webhookCheckMs: 40,
};

export class StandInGateway implements AdapterEvents {
  readonly received: InboundMessage[] = [];
  readonly edits: MessageEdit[] = [];
  readonly moves: [string, string][] = [];
  /** How many times `receive` was called, whatever became of it. */
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
  readonly gateway = new StandInGateway();
  readonly log: LogLine[] = [];
  readonly #adapters: TelegramAdapter[] = [];
  readonly #stop = new AbortController();

  constructor(options: EmulatorOptions = {}) {
    this.emulator = new TelegramEmulator(options);
  }

  adapter(options: Partial<TelegramOptions> = {}): TelegramAdapter {
    const adapter = telegramAdapter({
      token: this.emulator.token,
      apiRoot: this.emulator.url,
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
    if (Date.now() > endMs) throw new Error(`waited in vain until ${what}`);
}

let nextId = 1;

export function outbound(
  target: Partial<Target>,
  text: string,
  more: Partial<OutboundMessage> = {},
): OutboundMessage {
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
    mayBeRepeat: false,
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
