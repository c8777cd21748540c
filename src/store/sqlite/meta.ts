import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../clock.js";
import { ROUTES_CHANGED } from "../queues.js";
import { sql } from "./statements.js";

const LAST_AUTO_PRUNE = "last_auto_prune";

export function getMeta(db: Database, key: string): string | undefined {
  return sql(db, "SELECT value FROM state_meta WHERE key = ?").pluck().get(key) as string | undefined;
}

export function setMeta(db: Database, key: string, value: string): void {
  sql(
    db,
    "INSERT INTO state_meta (key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
  ).run(key, value);
}

/** True for one process per interval. An unreadable mark counts as none. */
export function claimAutoPrune(db: Database, minIntervalHours: number): boolean {
  const now = nowSeconds();
  const last = Number(getMeta(db, LAST_AUTO_PRUNE) ?? Number.NaN);
  if (Number.isFinite(last) && last <= now && now - last < minIntervalHours * 3600) return false;
  setMeta(db, LAST_AUTO_PRUNE, String(now));
  return true;
}

/** Tells a running gateway, which caches routes and writes them to `sessions.json`. */
export function noteRoutesChanged(db: Database): void {
  setMeta(db, ROUTES_CHANGED, String(nowSeconds()));
}
