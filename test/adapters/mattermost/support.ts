/** The real adapter against the emulator, with an inbox in memory and a home for files. */
import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import {
  type MattermostAdapter,
  type MattermostOptions,
  mattermostAdapter,
} from "../../../src/adapters/mattermost/index.js";
import type { Target } from "../../../src/message.js";
import { Inbox } from "../../contract/inbox.js";
import { type Channel, MattermostEmulator, type User } from "../../emulators/mattermost/index.js";
import type { Outgoing } from "../../support/send.js";
import { tempDir } from "../../support/temp.js";

export interface Setup {
  emulator: MattermostEmulator;
  inbox: Inbox;
  adapter: MattermostAdapter;
  home: string;
  ann: User;
  dm: Channel;
  town: Channel;
  log: string[];
  /** Another adapter of the same bot. */
  connect(options?: Partial<MattermostOptions>): Promise<MattermostAdapter>;
}

export async function setUp(options: Partial<MattermostOptions> = {}): Promise<Setup> {
  const emulator = await new MattermostEmulator().start();
  const inbox = new Inbox();
  const home = tempDir();
  const log: string[] = [];
  const adapters: MattermostAdapter[] = [];
  onTestFinished(async () => {
    await Promise.all(adapters.map((adapter) => adapter.disconnect()));
    await emulator.close();
  });
  const connect = async (more: Partial<MattermostOptions> = {}) => {
    const adapter = mattermostAdapter({
      token: emulator.token,
      apiUrl: emulator.url,
      commands: ["status"],
      media: { home, folder: "media/in", maxBytes: 1000, mayFetch: async () => true },
      log: (level, message) => log.push(`${level}: ${message}`),
      ...options,
      ...more,
      timing: {
        callMs: 3000,
        backoff: { firstMs: 10, maxMs: 50 },
        receiveRetry: { firstMs: 10, maxMs: 50 },
        overlapMs: 1000,
        ...options.timing,
        ...more.timing,
      },
    });
    adapters.push(adapter);
    await adapter.connect(inbox, new AbortController().signal);
    return adapter;
  };
  const ann = emulator.world.user("ann");
  const dm = emulator.dm(ann);
  const town = emulator.world.channel("O", "Town Square", [ann]);
  return { emulator, inbox, adapter: await connect(), home, ann, dm, town, log, connect };
}

/** A copy of a file, as an answer has it. */
export function outgoingFile(home: string, name: string, content: string) {
  fs.writeFileSync(path.join(home, name), content);
  return { name, path: name, mimeType: "text/plain", bytes: content.length };
}

let ids = 0;

export function outbound(target: Partial<Target>, text: string, more: Partial<Outgoing> = {}): Outgoing {
  ids += 1;
  const base = { chatType: "dm", chatId: null, threadId: null, userId: null, replyTo: null };
  return {
    ...{ id: ids, nonce: `nonce-${ids}`, kind: "answer", text, turnId: null },
    target: { platform: "mattermost", account: "mattermost", ...base, ...target },
    ...more,
  };
}

export const patience = () => AbortSignal.timeout(5000);
