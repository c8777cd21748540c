import type { Database } from "better-sqlite3";
import type { Figures, TurnFigures } from "../../reports.js";
import { sql } from "../statements.js";

/** More than a busy day has. Only the newest are counted beyond that. */
const MAX_ROWS = 100_000;

type Row = [
  platform: string,
  model: string | null,
  outcome: string,
  seconds: number,
  tokens: number,
  cost: number,
];

/** Attempts that go on later are no result yet. */
const RESULTS: ReadonlySet<string> = new Set(["answered", "silent", "failed", "interrupted", "stopped"]);

/** One range of an index, however long the history is. */
export function turnFigures(db: Database, since: number): TurnFigures {
  const rows = sql(
    db,
    `SELECT platform, model, outcome, ended_at - received_at, tokens, cost_usd FROM gw_attempts
     WHERE ended_at >= ? ORDER BY ended_at DESC LIMIT ${MAX_ROWS}`,
  )
    .raw()
    .all(since) as Row[];
  const by = (nameOf: (row: Row) => string) =>
    [...grouped(rows, nameOf)]
      .map(([name, group]) => ({ name, ...figuresOf(group) }))
      .toSorted((a, b) => b.turns - a.turns || a.name.localeCompare(b.name));
  return {
    total: figuresOf(rows),
    platforms: by(([platform]) => platform),
    models: by(([, model]) => model ?? ""),
  };
}

function grouped(rows: readonly Row[], nameOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(nameOf(row));
    if (group) group.push(row);
    else groups.set(nameOf(row), [row]);
  }
  return groups;
}

function figuresOf(rows: readonly Row[]): Figures {
  const answered = rows
    .filter(([, , outcome]) => outcome === "answered")
    .map(([, , , seconds]) => Math.max(0, seconds))
    .sort((a, b) => a - b);
  const at = (share: number) => answered[Math.max(0, Math.ceil(share * answered.length) - 1)] ?? null;
  return {
    turns: rows.filter(([, , outcome]) => RESULTS.has(outcome)).length,
    failed: rows.filter(([, , outcome]) => outcome === "failed").length,
    answerSeconds: { p50: at(0.5), p95: at(0.95) },
    tokens: rows.reduce((sum, [, , , , tokens]) => sum + tokens, 0),
    costUsd: rows.reduce((sum, [, , , , , cost]) => sum + cost, 0),
  };
}
