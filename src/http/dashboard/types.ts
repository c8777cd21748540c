/** What the dashboard's endpoints answer: read by the page as types, so that both sides say the same. */
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
  UsageRow,
};

export interface Overview {
  /** Epoch seconds, here as everywhere. */
  at: number;
  gateway: {
    version: string;
    node: string;
    startedAt: number;
    home: string;
    provider: string;
    model: string;
  };
  /** Messages settled and answers sent within the last minute. */
  lastMinute: { handled: number; sent: number };
  /** The last hour, a number a minute, the running one last. */
  hour: { from: number; handled: number[]; sent: number[] };
  queues: Pick<QueueDepths, "inbox" | "outbox" | "oldestWaiting" | "oldestPending">;
  turns: { running: number; waiting: number };
  platforms: PlatformHealth[];
  mcpServers: ServerStatus[];
  process: {
    rssBytes: number;
    heapUsedBytes: number;
    heapTotalBytes: number;
    /** How long the event loop was late, over the last ten seconds or so. */
    loopDelayMs: { p50: number; p99: number; max: number };
  };
  totals: { sessions: number; messages: number; databaseBytes: number };
  /** Of the turns that ended since the day began, in the configured time zone. */
  today: TurnFigures & { since: number };
  /** What isn't well, the worst first. */
  problems: Problem[];
  pairings: number;
  questions: number;
  /** Change when something has: what a page shows may be old then. */
  marks: QueueDepths["marks"];
}

export interface Problem {
  severity: "bad" | "wait";
  text: string;
  /** The page of the dashboard that helps; null: none. */
  path: string | null;
}

export type PlatformHealth = Health & { platform: string; account: string };

export type SessionDetail = Omit<BrowsedSession, "detail"> &
  NonNullable<BrowsedSession["detail"]> & {
    /** A chat is in it now. */
    live: boolean;
    /** A turn runs or waits. */
    busy: boolean;
    /** A human answers in the agent's place until then. */
    human_until: number | null;
  };

export interface SessionsAnswer {
  sessions: BrowsedSession[];
  next: string | null;
}

export interface SearchAnswer {
  titles: TitleHit[];
  /** With the person and the chat of their sessions. */
  hits: (Omit<SearchHit, "context"> & Pick<BrowsedSession, "user_id" | "place">)[];
  next: number | null;
}

export interface LineageAnswer {
  tip: string;
  /** The whole tree, parents before their children. */
  nodes: LineageNode[];
  /** There are more than are given. */
  cut: boolean;
}

/** Sums over sessions by the day they began. */
export type UsageSums = Omit<UsageRow, "day" | "source" | "model">;

export interface UsageAnswer {
  /** Every day of the range, oldest first, whether something happened or not. */
  days: string[];
  timeZone: string;
  total: UsageSums;
  /** One line a day and name: a platform or a model, as asked. */
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
