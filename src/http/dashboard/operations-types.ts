/** What the pages about the running gateway get: platforms, MCP servers, log, restart. */
import type { LinkCode } from "../../adapters/adapter.js";
import type { Level } from "../../log-lines.js";
import type { ServerDetail } from "../../mcp/settings.js";
import type { PlatformHealth } from "./types.js";

export interface PlatformsAnswer {
  bots: BotAnswer[];
  /** Configured, but not running. */
  off: { platform: string; reason: string }[];
}

export interface BotAnswer extends PlatformHealth {
  /** An operator has disconnected it. */
  isOff: boolean;
  abilities: Ability[];
  maxFileBytes: number | null;
  /** Its chats can get messages that they didn't ask for. */
  canWrite: boolean;
  /** The home channel, and chats that wrote last. */
  chats: { to: string; name: string | null }[];
  /** The latest first. */
  errors: RecentError[];
  link: ShownLink | null;
}

/** A QR code as rows of 0 and 1. */
export type ShownLink = Extract<LinkCode, { code: string }> | { qr: string[] };

export type Ability = "files" | "streaming" | "typing" | "buttons" | "reactions" | "menu" | "lookup";

export interface RecentError {
  /** When it came last. */
  at: number;
  level: "warn" | "error";
  text: string;
  /** How often, one after the other. */
  count: number;
  traceId: string | null;
}

export interface TestAnswer {
  id: string;
  to: string;
  state: "sent" | "waiting" | "failed";
  error: string | null;
}

export interface McpAnswer {
  servers: ServerDetail[];
}

export interface LogLine {
  /** Epoch seconds; null: the line has no time. */
  at: number | null;
  level: Level | null;
  area: string;
  text: string;
  fields: string;
  traceId: string | null;
}

/** The event `start` replaces everything, `lines` adds to it. */
export interface LogLines {
  lines: LogLine[];
  /** Lines that came faster than the page read them. */
  skipped: number;
}

export interface LogAnswer {
  areas: string[];
  /** The lowest level that is written. */
  level: string;
}

export interface RestartAnswer {
  /** What starts the gateway again when it ends; null: nothing does. */
  supervisor: string | null;
  /** What to run where it was started; null: another program runs the gateway. */
  command: string | null;
}
