/** The real adapter against the emulator, with an inbox in memory. */
import { onTestFinished } from "vitest";
import { type SignalAdapter, type SignalOptions, signalAdapter } from "../../../src/adapters/signal/index.js";
import { Inbox } from "../../contract/inbox.js";
import { NUMBER, SignalEmulator, type SignalEmulatorOptions } from "../../emulators/signal/index.js";
import { tempDir } from "../../support/temp.js";

export interface Setup {
  emulator: SignalEmulator;
  inbox: Inbox;
  adapter: SignalAdapter;
  home: string;
  moves: [string, string][];
}

/** Connected, with everyone's messages wanted. */
export async function setUp(options: Partial<SignalOptions> = {}): Promise<Setup> {
  const emulator = await emulated();
  const inbox = new Inbox();
  const home = tempDir();
  const moves: [string, string][] = [];
  Object.assign(inbox, { chatMoved: async (from: string, to: string) => void moves.push([from, to]) });
  const media = { home, folder: "media/in", maxBytes: 1000, mayFetch: async () => true };
  const adapter = signalAdapter({ number: NUMBER, apiUrl: emulator.url, media, ...options });
  onTestFinished(() => adapter.disconnect());
  await adapter.connect(inbox, new AbortController().signal);
  return { emulator, inbox, adapter, home, moves };
}

export async function emulated(options: SignalEmulatorOptions = {}): Promise<SignalEmulator> {
  const emulator = await new SignalEmulator(options).start();
  onTestFinished(() => emulator.close());
  return emulator;
}

export const patience = () => AbortSignal.timeout(5000);
