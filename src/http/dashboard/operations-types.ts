/** Responses of the APIs for platforms, MCP servers, the log and a restart. */
import type { LinkCode } from "../../adapters/adapter.js";
import type { Level } from "../../log-lines.js";
import type { ServerDetail } from "../../mcp/settings.js";
import type { PlatformHealth } from "./types.js";

export interface PlatformsAnswer {
  bots: BotAnswer[];
  /** Configured platforms that aren't running. */
  off: { platform: string; reason: string }[];
}

export interface BotAnswer extends PlatformHealth {
  /** An operator has disconnected it. */
  isOff: boolean;
  abilities: Ability[];
  maxFileBytes: number | null;
  /** Whether it can send messages that aren't replies. */
  canWrite: boolean;
  /** The home channel, and the chats that wrote most recently. */
  chats: { to: string; name: string | null }[];
  /** Latest first. */
  errors: RecentError[];
  link: ShownLink | null;
}

/** A QR code as rows of 0 and 1. */
export type ShownLink = Extract<LinkCode, { code: string }> | { qr: string[] };

export type Ability = "files" | "streaming" | "typing" | "buttons" | "reactions" | "menu" | "lookup";

export interface RecentError {
  /** When it last occurred. */
  at: number;
  level: "warn" | "error";
  text: string;
  /** How often it occurred in a row. */
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

/** The event `start` replaces all shown lines, `lines` adds to them. */
export interface LogLines {
  lines: LogLine[];
  /** Lines that were dropped because the page read too slowly. */
  skipped: number;
}

export interface LogAnswer {
  areas: string[];
  /** The lowest level that is logged. */
  level: string;
}

export interface RestartAnswer {
  /** What restarts the gateway after it exits; null: nothing. */
  supervisor: string | null;
  /** A command that restarts the gateway by hand; null: another program runs it. */
  command: string | null;
}
