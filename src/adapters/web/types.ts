/** What the web chat needs from the rest of the gateway. */
import type { Context } from "hono";
import type { OutboundKind } from "../../message.js";
import type { Button } from "../kit/buttons.js";

export interface WebOptions {
  /** The chat as its browser saw it, oldest first. */
  chatLog(chatId: string): Promise<readonly WebLogEntry[]>;
  /** The chat's current session; null before the first message. */
  session(chatId: string): Promise<WebSession | null>;
  /** The sessions of this principal only, newest first. */
  sessions(chatId: string): Promise<readonly WebSessionSummary[]>;
  commands: readonly WebCommand[];
  /** A file of a message that was sent to this chat; left out: the chat takes none. */
  file?(chatId: string, outboxId: number, index: number): Promise<WebFileContent | undefined>;
  /** The client's address; behind a proxy, the one that the proxy names. */
  clientOf(c: Context): string;
  bounds?: Partial<WebBounds>;
}

export interface WebLogEntry {
  /** `in:12` or `out:34`. */
  id: string;
  from: "user" | "bot";
  kind: OutboundKind | "message";
  text: string;
  at: number;
  turnId: string | null;
  files?: readonly WebFile[];
  /** The choices of a question that isn't decided. */
  buttons?: readonly Button[];
}

export interface WebFile {
  name: string;
  mimeType: string;
  bytes: number;
}

export interface WebFileContent extends WebFile {
  /** Its path. */
  file: string;
}

export interface WebSession {
  id: string;
  title: string | null;
}

export interface WebSessionSummary extends WebSession {
  preview?: string | null;
  /** Epoch seconds. */
  lastActive: number;
}

export interface WebCommand {
  name: string;
  usage?: string;
  description: string;
}

export interface WebBounds {
  /** Open event streams of one browser; its tabs. */
  streamsPerChat: number;
  /** Open event streams from one client address. */
  streamsPerAddress: number;
  streams: number;
  heartbeatMs: number;
  /** Minimum time between two previews to one chat. */
  previewMs: number;
}

export const DEFAULT_BOUNDS: WebBounds = {
  streamsPerChat: 8,
  streamsPerAddress: 64,
  streams: 256,
  heartbeatMs: 15_000,
  previewMs: 50,
};
