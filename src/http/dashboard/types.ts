/** Responses of the dashboard's API. The page imports these types. */
import type { Health } from "../../adapters/adapter.js";
import type { ServerStatus } from "../../mcp/settings.js";
import type {
  BrowsedSession,
  DeadPage,
  PairingPage,
  QueueDepths,
  RecentMessage,
  ShownMessage,
  Trace,
  TranscriptPage,
  TurnFigures,
  UsageRow,
} from "../../store/reports.js";
import type { LineageNode, SearchHit, TitleHit } from "../../store/store.js";

export type {
  BrowsedSession,
  LineageNode,
  RecentMessage,
  SearchHit,
  ShownMessage,
  TitleHit,
  Trace,
  TranscriptPage,
  TurnFigures,
};

export interface Overview {
  /** Epoch seconds, like all times here. */
  at: number;
  gateway: {
    version: string;
    node: string;
    startedAt: number;
    home: string;
    provider: string;
    model: string;
  };
  /** Messages handled and answers sent within the last minute. */
  lastMinute: { handled: number; sent: number };
  /** Counts per minute of the last hour. The last one is the current minute. */
  hour: { from: number; handled: number[]; sent: number[] };
  queues: Pick<QueueDepths, "inbox" | "outbox" | "oldestWaiting" | "oldestPending">;
  turns: { running: number; waiting: number };
  platforms: PlatformHealth[];
  mcpServers: ServerStatus[];
  process: {
    rssBytes: number;
    heapUsedBytes: number;
    heapTotalBytes: number;
    /** Event loop delay over about the last ten seconds. */
    loopDelayMs: { p50: number; p99: number; max: number };
  };
  totals: { sessions: number; messages: number; databaseBytes: number };
  /** The turns that ended since midnight in the configured time zone. */
  today: TurnFigures & { since: number };
  /** Worst first. */
  problems: Problem[];
  pairings: number;
  questions: number;
  /** They change with the data: a page then reads it again. */
  marks: QueueDepths["marks"];
}

export interface Problem {
  severity: "bad" | "wait";
  text: string;
  /** The dashboard page that helps; null: none. */
  path: string | null;
}

export type PlatformHealth = Health & { platform: string; account: string };

export type SessionDetail = Omit<BrowsedSession, "detail"> &
  NonNullable<BrowsedSession["detail"]> & {
    /** It is the current session of a chat. */
    live: boolean;
    /** A turn is running or waiting. */
    busy: boolean;
    /** Until then, a human answers instead of the agent. */
    human_until: number | null;
  };

export interface SessionsAnswer {
  sessions: BrowsedSession[];
  next: string | null;
}

export interface SearchAnswer {
  titles: TitleHit[];
  /** With the person and the chat of each session. */
  hits: (Omit<SearchHit, "context"> & Pick<BrowsedSession, "user_id" | "place">)[];
  next: number | null;
}

export interface LineageAnswer {
  tip: string;
  /** The whole tree, parents before their children. */
  nodes: LineageNode[];
  /** Whether nodes were left out. */
  cut: boolean;
}

/** Sums over sessions, by their first day. */
export interface UsageSums
  extends Pick<
    UsageRow,
    "sessions" | "messages" | "toolCalls" | "inputTokens" | "outputTokens" | "apiCalls" | "costUsd"
  > {
  cacheTokens: number;
}

export interface UsageAnswer {
  /** Every day of the range, oldest first, including days without usage. */
  days: string[];
  timeZone: string;
  total: UsageSums;
  /** One row per day and platform or model. */
  byDay: (UsageSums & { day: string; name: string })[];
  platforms: (UsageSums & { name: string })[];
  models: (UsageSums & { name: string })[];
}

export interface MessagesAnswer {
  messages: RecentMessage[];
  next: string | null;
}

export interface TraceAnswer {
  traces: Trace[];
}

export interface DeadAnswer {
  letters: DeadPage["letters"];
  next: string | null;
}

export interface PairingAnswer {
  pending: (PairingPage["pending"][number] & { expiresAt: number })[];
  approved: PairingPage["approved"];
  next: string | null;
}

export interface ConfigAnswer {
  values: { path: string; value: unknown; source: string }[];
  ignored: { where: string; path: string }[];
}

export interface Fault {
  error: { code: string; message: string; hint?: string };
}
