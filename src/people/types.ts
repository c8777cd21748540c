/** What the command line and the dashboard show of people. */
import type { KnownPerson } from "../store/people.js";
import type { AskMode } from "../tools/tool.js";

/** `memory`: the agent has notes about them. */
export type ListedPerson = KnownPerson & { person: string; memory: boolean };

/** Whether a person may talk to the bot, and why. */
export interface Role {
  kind: "owner" | "paired" | "allowed" | "waiting" | "stranger";
  because: string;
}

/** Which tools a person has in a chat. */
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
  /** Rows of shared sessions that become a mark: theirs and the answers to them. */
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

/** What an erasure leaves as it is. */
export interface LeftAlone {
  /** Copies of the home, from before. */
  copies: string[];
  /** Settings that name the person: `platforms.telegram.allow_from`. */
  settings: string[];
  /** Schedules of others that write to them. */
  schedules: string[];
  /** Logs of other programs. */
  logs: string | null;
  gatewayRuns: boolean;
}
