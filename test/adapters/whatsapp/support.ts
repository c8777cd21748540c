/** The real adapter against the emulator, with an inbox in memory and a home for files and keys. */
import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import {
  type WhatsAppAdapter,
  type WhatsAppOptions,
  whatsappAdapter,
} from "../../../src/adapters/whatsapp/index.js";
import type { Target } from "../../../src/message.js";
import { Inbox } from "../../contract/inbox.js";
import { LIBRARY, type Person, SELF, WhatsAppEmulator } from "../../emulators/whatsapp/index.js";
import type { Outgoing } from "../../support/send.js";
import { tempDir } from "../../support/temp.js";

export interface Setup {
  emulator: WhatsAppEmulator;
  inbox: Inbox;
  home: string;
  folder: string;
  ann: Person;
  log: string[];
  drawn: string[];
  make(options?: Partial<WhatsAppOptions>): WhatsAppAdapter;
  connect(options?: Partial<WhatsAppOptions>): Promise<WhatsAppAdapter>;
}

/** A device that is linked already, unless it is told otherwise. */
export async function setUp({ linked = true } = {}): Promise<Setup> {
  const emulator = await new WhatsAppEmulator().start();
  const home = tempDir();
  const folder = path.join(home, "whatsapp/session");
  if (linked) writeLink(folder, emulator.account);
  const inbox = new Inbox();
  const log: string[] = [];
  const drawn: string[] = [];
  const adapters: WhatsAppAdapter[] = [];
  onTestFinished(async () => {
    await Promise.all(adapters.map((adapter) => adapter.disconnect()));
    await emulator.close();
  });
  const make = (options: Partial<WhatsAppOptions> = {}) => {
    const adapter = whatsappAdapter({
      phoneNumber: "+1 555 000 0001",
      ...{ home, folder, mode: "bot", library: LIBRARY, apiUrl: emulator.url },
      media: { home, folder: "media/in", maxBytes: 1000, mayFetch: async () => true },
      terminal: { write: (text) => drawn.push(text) },
      log: (level, message) => log.push(`${level}: ${message}`),
      ...options,
      timing: {
        callMs: 3000,
        settleMs: 300,
        backoff: { firstMs: 10, maxMs: 50 },
        receiveRetry: { firstMs: 10, maxMs: 50 },
        ...options.timing,
      },
    });
    adapters.push(adapter);
    return adapter;
  };
  const connect = async (options: Partial<WhatsAppOptions> = {}) => {
    const adapter = make(options);
    await adapter.connect(inbox, new AbortController().signal);
    return adapter;
  };
  return { emulator, inbox, home, folder, ann: emulator.person("Ann"), log, drawn, make, connect };
}

/** What linking leaves on the disk. */
export function writeLink(folder: string, account: string): void {
  fs.mkdirSync(folder, { recursive: true });
  const creds = { account, me: { id: SELF.number, lid: SELF.lid } };
  fs.writeFileSync(path.join(folder, "creds.json"), JSON.stringify(creds));
}

let ids = 0;

export function outbound(target: Partial<Target>, text: string, more: Partial<Outgoing> = {}): Outgoing {
  ids += 1;
  const base = { chatType: "dm", chatId: null, threadId: null, userId: null, replyTo: null };
  return {
    ...{ id: ids, nonce: `nonce-${ids}`, kind: "answer", text, turnId: null },
    target: { platform: "whatsapp", account: "whatsapp", ...base, ...target },
    ...more,
  };
}

export const patience = () => AbortSignal.timeout(5000);
