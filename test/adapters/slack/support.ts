/** The real adapter on the real SDK against the emulator, with an inbox in memory. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { AdapterEvents, Cursor, MessageEdit, MessageRef } from "../../../src/adapters/adapter.js";
import { type SlackAdapter, type SlackOptions, slackAdapter } from "../../../src/adapters/slack/index.js";
import type { InboundMessage, Target } from "../../../src/message.js";
import { type EmulatorOptions, SlackEmulator } from "../../emulators/slack/index.js";
import type { Outgoing } from "../../support/send.js";

export class FakeInbox implements AdapterEvents {
  readonly received: InboundMessage[] = [];
  readonly edits: MessageEdit[] = [];
  readonly deletes: MessageRef[] = [];
  readonly cursors = new Map<string, string>();
  /** Runs before a message is stored; rejects to make storing fail. */
  gate: (message: InboundMessage) => Promise<void> = async () => undefined;

  async receive(message: InboundMessage, cursor?: Cursor): Promise<void> {
    await this.gate(message);
    this.received.push(message);
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
  async saveCursor(cursor: Cursor): Promise<void> {
    this.cursors.set(cursor.name, cursor.value);
  }
  async chatMoved(): Promise<void> {}

  get texts(): string[] {
    return this.received.map(({ text }) => text);
  }
}

export interface Setup {
  slack: SlackEmulator;
  inbox: FakeInbox;
  adapter: SlackAdapter;
  log: string[];
  dir: string;
  close(): Promise<void>;
}

export interface SetupOptions {
  emulator?: EmulatorOptions;
  adapter?: Partial<SlackOptions>;
  /** Leaves the adapter unconnected. */
  idle?: boolean;
  slack?: SlackEmulator;
  inbox?: FakeInbox;
}

const FAST = {
  callMs: 3000,
  lookUpMs: 1000,
  settleMs: 100,
  pingMs: 300,
  helloMs: 2000,
  reconnectMs: 20,
  reconnectMaxMs: 100,
  hopelessMs: 100,
  patienceMs: 3000,
  catchUpMs: 5000,
  probeMs: 100,
  typingMs: 50,
  closeMs: 200,
};

export async function setup(options: SetupOptions = {}): Promise<Setup> {
  const slack =
    options.slack ??
    (await new SlackEmulator({
      ackTimeoutMs: 1000,
      retryDelaysMs: [0, 50, 100],
      ...options.emulator,
    }).start());
  const inbox = options.inbox ?? new FakeInbox();
  const log: string[] = [];
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "slack-test-"));
  const adapter = slackAdapter({
    token: slack.botToken,
    appToken: slack.appToken,
    apiUrl: slack.apiUrl,
    media: { home: dir, folder: "media", maxBytes: 1_000_000, mayFetch: async () => true },
    log: (level, text, fields) => {
      const { err } = (fields ?? {}) as { err?: Error & { cause?: Error } };
      log.push(`${level}: ${text}${err ? ` (${err.cause?.message ?? err.message})` : ""}`);
    },
    ...options.adapter,
    timing: { ...FAST, ...options.adapter?.timing },
  });
  if (!options.slack) addConversations(slack);
  if (!options.idle) await adapter.connect(inbox, new AbortController().signal);
  const close = async () => {
    await adapter.disconnect();
    if (!options.slack) await slack.close();
    fs.rmSync(dir, { recursive: true, force: true });
  };
  return { slack, inbox, adapter, log, dir, close };
}

/** Two people, a direct message, a group message and a channel. */
function addConversations(slack: SlackEmulator): void {
  slack.workspace.addPerson("U1", "Ada");
  slack.workspace.addPerson("U2", "Ben");
  slack.workspace.addPerson("UBOT2", "other bot", true);
  slack.room("D1", "im", ["U1"]);
  slack.room("G1", "mpim", ["U1", "U2"], "mpdm-ada--ben-1");
  slack.room("C1", "channel", ["U1", "U2", "UBOT2"], "general");
}

let nonces = 0;

export function outbound(target: Partial<Target>, text: string, more: Partial<Outgoing> = {}): Outgoing {
  return {
    id: ++nonces,
    nonce: `nonce-${nonces}`,
    kind: "answer",
    target: {
      platform: "slack",
      account: "slack",
      chatType: "dm",
      chatId: "D1",
      threadId: null,
      userId: "U1",
      replyTo: null,
      ...target,
    },
    text,
    turnId: "t1",
    ...more,
  };
}

export const deadline = (): AbortSignal => AbortSignal.timeout(10_000);
