/** Types about people, for the command line and the dashboard. */
import type { KnownPerson } from "../store/people.js";
import type { AskMode } from "../tools/tool.js";

/** `memory`: whether the agent has notes about them. */
export type ListedPerson = KnownPerson & { person: string; memory: boolean };

/** Whether a person may talk to the bot, and why. */
export interface Role {
  kind: "owner" | "paired" | "allowed" | "waiting" | "stranger";
  because: string;
}

/** A person's tools in a chat. */
export interface ToolFacts {
  person: string;
  /** Null: a direct chat. */
  room: string | null;
  owner: boolean;
  may_talk: boolean;
  tools: {
    name: string;
    toolset: string;
    effect: "read" | "write";
    offered: boolean;
    ask: AskMode;
    because: string;
  }[];
}

/** How much an erasure removes. */
export interface ErasureCounts {
  sessions: number;
  messages: number;
  sharedSessions: number;
  /** Rows of shared sessions that are replaced by a mark: the person's messages and the answers to them. */
  redactedMessages: number;
  /** Other people's rows that lose a quote. */
  changedMessages: number;
  queueRowsRemoved: number;
  queueRowsRedacted: number;
  routes: number;
  schedules: number;
  pairings: number;
  memories: number;
  files: number;
}

/** Data that an erasure doesn't change. */
export interface LeftAlone {
  /** Earlier copies of the home. */
  copies: string[];
  /** Settings that name the person: `platforms.telegram.allow_from`. */
  settings: string[];
  /** Schedules of others that write to them. */
  schedules: string[];
  /** Logs of other programs. */
  logs: string | null;
  gatewayRuns: boolean;
}
