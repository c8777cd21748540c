/** The part of Baileys we use. It isn't installed with the gateway: we find it, or ask the operator to install it. */
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { HermesError } from "../../errors.js";
import type { WaKey, WaMessage } from "./port.js";

const PACKAGE = "baileys";
/** The version that the types below were written for. */
const VERSION = "7.0.0-rc14";

export interface Baileys {
  makeWASocket(config: object): BaileysSocket;
  useMultiFileAuthState(
    folder: string,
  ): Promise<{ state: { creds: Creds; keys: unknown }; saveCreds(): Promise<void> }>;
  downloadMediaMessage(
    message: WaMessage,
    type: "stream",
    options: object,
    context: { logger: object; reuploadRequest(message: WaMessage): Promise<WaMessage> },
  ): Promise<AsyncIterable<Uint8Array>>;
}

export interface Creds {
  me?: { id: string; lid?: string } | undefined;
  /** Set once the account is linked. */
  account?: unknown;
  pairingCode?: string | undefined;
}

export interface BaileysSocket {
  ev: { on<E extends keyof BaileysEvents>(event: E, listener: (payload: BaileysEvents[E]) => void): void };
  /** Every frame from WhatsApp. */
  ws: { on(event: "frame", listener: () => void): unknown };
  user?: Creds["me"];
  sendMessage(
    jid: string,
    content: object,
    options?: { messageId?: string; quoted?: WaMessage },
  ): Promise<WaMessage | undefined>;
  /** The first frame with this id; undefined: none came in time. */
  waitForMessage(
    id: string,
    timeoutMs: number,
  ): Promise<{ attrs?: Record<string, string | undefined> } | undefined>;
  sendPresenceUpdate(type: "composing", jid: string): Promise<void>;
  readMessages(keys: WaKey[]): Promise<void>;
  requestPairingCode(number: string): Promise<string>;
  groupMetadata(jid: string): Promise<{ subject?: string }>;
  updateMediaMessage(message: WaMessage): Promise<WaMessage>;
  end(error: Error | undefined): unknown;
}

export interface BaileysEvents {
  "connection.update": {
    connection?: "open" | "connecting" | "close";
    qr?: string;
    lastDisconnect?: { error?: unknown };
  };
  "creds.update": unknown;
  "messages.upsert": { messages: WaMessage[] };
  "messages.update": { key: WaKey; update: { status?: number | null } }[];
  "message-receipt.update": { key: WaKey }[];
}

/** Next to the gateway, or in the home. */
export async function loadLibrary(home: string, given: string | null): Promise<Baileys> {
  const file = findLibrary(home, given);
  if (file === undefined) throw notInstalled(home);
  try {
    return (await import(pathToFileURL(file).href)) as Baileys;
  } catch (error) {
    throw new HermesError("invalid", `${file} can't be loaded`, { hint: howToInstall(home), cause: error });
  }
}

/** Undefined if it isn't installed. */
export function findLibrary(home: string, given: string | null): string | undefined {
  if (given !== null) return path.resolve(home, given);
  for (const from of [import.meta.filename, path.join(packagesIn(home), "package.json")])
    try {
      return createRequire(from).resolve(PACKAGE);
    } catch {
      // Not here: the next place is tried.
    }
  return undefined;
}

const packagesIn = (home: string) => path.join(home, "packages");

export function howToInstall(home: string): string {
  return `Run \`npm install --prefix ${packagesIn(home)} ${PACKAGE}@${VERSION}\``;
}

function notInstalled(home: string): HermesError {
  return new HermesError("invalid", `WhatsApp needs the package ${PACKAGE}, which isn't installed`, {
    hint: howToInstall(home),
  });
}
