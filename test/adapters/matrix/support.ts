/** The real adapter against the emulator, with an inbox in memory and a home for files. */
import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type MatrixAdapter, type MatrixOptions, matrixAdapter } from "../../../src/adapters/matrix/index.js";
import type { Target } from "../../../src/message.js";
import { Inbox } from "../../contract/inbox.js";
import { MatrixEmulator, type Room } from "../../emulators/matrix/index.js";
import type { Outgoing } from "../../support/send.js";
import { tempDir } from "../../support/temp.js";

export const ANN = "@ann:test.example";

export interface Setup {
  emulator: MatrixEmulator;
  inbox: Inbox;
  adapter: MatrixAdapter;
  home: string;
  dm: Room;
  hall: Room;
  log: string[];
  /** Another adapter of the same bot. */
  connect(options?: Partial<MatrixOptions>): Promise<MatrixAdapter>;
}

export async function setUp(options: Partial<MatrixOptions> = {}): Promise<Setup> {
  const emulator = await new MatrixEmulator().start();
  const inbox = new Inbox();
  const home = tempDir();
  const log: string[] = [];
  const adapters: MatrixAdapter[] = [];
  onTestFinished(async () => {
    await Promise.all(adapters.map((adapter) => adapter.disconnect()));
    await emulator.close();
  });
  const connect = async (more: Partial<MatrixOptions> = {}) => {
    const adapter = matrixAdapter({
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
        pollMs: 2000,
        ...options.timing,
        ...more.timing,
      },
    });
    adapters.push(adapter);
    await adapter.connect(inbox, new AbortController().signal);
    return adapter;
  };
  const dm = emulator.room({ [ANN]: "Ann" });
  const hall = emulator.room({ [ANN]: "Ann", "@ben:test.example": "Ben" }, "Hall");
  return { emulator, inbox, adapter: await connect(), home, dm, hall, log, connect };
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
    target: { platform: "matrix", account: "matrix", ...base, ...target },
    ...more,
  };
}

export const patience = () => AbortSignal.timeout(5000);
