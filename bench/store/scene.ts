import type { OpenedStore } from "../../src/store/sqlite/index.js";
import type { Plain } from "../plain.js";
import type { Row } from "../table.js";

/** Shared input of all parts: folder, sizes and the result rows. */
export interface Scene {
  folder: string;
  sizes: Sizes;
  rows: Row[];
  say(text: string): void;
}

/** The two files under test, with the same history. */
export interface Pair {
  plain: Plain;
  store: OpenedStore;
  storePath: string;
  plainPath: string;
  /** The first group of the corpus that isn't in the files yet. */
  nextGroup: number;
}

export interface Sizes {
  sessions: number;
  messages: number;
  manySessions: number;
  grown: number;
  searchBudgetMs: number;
  appendsPerRound: number;
  appendRounds: number;
  floodMs: number;
  appendsPerWriter: number;
}

export const FULL: Sizes = {
  sessions: 1000,
  messages: 68_000,
  manySessions: 10_000,
  grown: 300_000,
  searchBudgetMs: 3000,
  appendsPerRound: 500,
  appendRounds: 12,
  floodMs: 5000,
  appendsPerWriter: 2000,
};

export const QUICK: Sizes = {
  sessions: 100,
  messages: 6800,
  manySessions: 1000,
  grown: 30_000,
  searchBudgetMs: 300,
  appendsPerRound: 200,
  appendRounds: 4,
  floodMs: 1500,
  appendsPerWriter: 200,
};
