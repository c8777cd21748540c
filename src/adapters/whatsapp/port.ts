/** What the adapter needs of WhatsApp. `baileys.ts` provides it. */
import type { LiveSocket } from "../kit/socket-loop.js";

/** A message's address. `…Alt` is the same chat or person under its other id: a number for a lid, a lid for a number. */
export interface WaKey {
  remoteJid?: string | null;
  fromMe?: boolean | null;
  id?: string | null;
  participant?: string | null;
  remoteJidAlt?: string | null;
  participantAlt?: string | null;
}

/** As it came. The content is WhatsApp's own tree of optional fields; `content.ts` reads it. */
export interface WaMessage {
  key: WaKey;
  message?: unknown;
  /** Seconds. */
  messageTimestamp?: unknown;
  pushName?: string | null;
}

/** Our own ids. */
export interface Self {
  number: string;
  lid: string | undefined;
}

export type Content =
  | { text: string }
  | { react: { text: string; key: WaKey } }
  | { image: LocalFile; caption?: string }
  | { video: LocalFile; caption?: string }
  | { audio: LocalFile; mimetype: string; ptt: boolean }
  | { document: LocalFile; mimetype: string; fileName: string };

export interface LocalFile {
  url: string;
}

export interface SendOptions {
  id: string;
  quoted?: WaMessage | undefined;
  timeoutMs: number;
}

/** What WhatsApp said to a message: that it has it, the code of an error, nothing; or the connection ended before. */
export type Ack = { error?: string } | { closed: Disconnect } | undefined;

/** One connection. `closed` gives a Disconnect. */
export interface Link extends LiveSocket {
  /** Undefined if no account is linked yet, and `events.pairing` says how to do it. */
  readonly self: Self | undefined;
  /** Resolves with WhatsApp's answer; undefined if there was none in time. Rejects when it can't be written. */
  send(chat: string, content: Content, options: SendOptions): Promise<Ack>;
  composing(chat: string): Promise<void>;
  read(key: WaKey): Promise<void>;
  groupName(group: string): Promise<string | null>;
  download(message: WaMessage): Promise<AsyncIterable<Uint8Array>>;
}

export interface Disconnect {
  /** Like an HTTP status: 401 unlinked, 515 restart. */
  code: number | undefined;
  reason: string;
}

/** How to link the account, to be shown to the operator. */
export type Pairing = { code: string } | { qr: string } | { problem: string };

export interface LinkEvents {
  /** A sign of life. */
  heard(): void;
  message(message: WaMessage, self: Self): void;
  /** WhatsApp or the other person has this message of ours. */
  arrived(id: string): void;
  pairing(pairing: Pairing): void;
}

export type OpenLink = (events: LinkEvents, signal: AbortSignal) => Promise<Link>;
