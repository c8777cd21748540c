import { randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import { nowSeconds } from "../../../clock.js";
import { mayRequestPairing, type RequestPermission } from "../../../pairing-limits.js";
import type {
  ApprovedRow,
  NewPairing,
  PairingAnswer,
  PairingRow,
  PairingState,
  SettledMessage,
} from "../../queues.js";
import { marks, sql } from "../statements.js";
import { read, write } from "../verb.js";
import { settleMessage } from "./inbox.js";

const PENDING = `SELECT id, platform, user_id AS userId, user_name AS userName, hash, salt, created_at AS createdAt
  FROM gw_pairing WHERE approved_at IS NULL`;
/** Long enough for every counted limit. */
const FORGOTTEN_AFTER_SECONDS = 86_400;

function pendingPairings(db: Database, platform: string): PairingRow[] {
  return sql(db, `${PENDING} AND platform = ? ORDER BY created_at`).all(platform) as PairingRow[];
}

export const pairingState = read(function pairingState(
  db: Database,
  platform: string,
  userIds: readonly string[] = [],
): PairingState {
  const asked = userIds.flatMap((userId) => limit(db, `request:${platform}:${userId}`) ?? []);
  return {
    isPaired: isPaired(db, platform, userIds),
    lastRequestAt: asked.length > 0 ? Math.max(...asked) : null,
    pending: pendingPairings(db, platform),
    lockedUntil: limit(db, `lockout:${platform}`),
    failures: limit(db, `failures:${platform}`) ?? 0,
  };
});

export const addPairing = write(function addPairing(
  db: Database,
  pairing: NewPairing,
  settled?: SettledMessage,
): RequestPermission {
  const { id, platform, userId, userName, hash, salt, createdAt } = pairing;
  // Already approved: repeat the answer.
  if (sql(db, "SELECT 1 FROM gw_pairing WHERE id = ?").get(id) !== undefined) return { ok: true };
  const permission = mayRequestPairing(pairingState(db, platform, [userId]), createdAt);
  if (!permission.ok) return permission;
  forget(db, createdAt - FORGOTTEN_AFTER_SECONDS);
  // One request per person: a new code replaces the old one.
  sql(db, "DELETE FROM gw_pairing WHERE platform = ? AND user_id = ? AND approved_at IS NULL").run(
    platform,
    userId,
  );
  sql(
    db,
    "INSERT INTO gw_pairing (id, platform, user_id, user_name, hash, salt, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  ).run(id, platform, userId, userName, hash, salt, createdAt);
  setLimit(db, `request:${platform}:${userId}`, createdAt);
  if (settled) settleMessage(db, settled);
  return { ok: true };
});

export const settlePairing = write(function settlePairing(db: Database, answer: PairingAnswer): boolean {
  if ("failures" in answer) return wrongCode(db, answer);
  if ("revoked" in answer) return revokePairing(db, answer.platform, answer.revoked);
  return answer.approved ? approvePairing(db, answer.id) : denyPairing(db, answer.id);
});

function approvePairing(db: Database, id: string): boolean {
  const approved = sql(
    db,
    "UPDATE gw_pairing SET approved_at = ?, hash = NULL, salt = NULL WHERE id = ? AND approved_at IS NULL RETURNING platform",
  ).get(nowSeconds(), id) as { platform: string } | undefined;
  if (approved) setLimit(db, `failures:${approved.platform}`, 0);
  return approved !== undefined;
}

/** Removes the request; the time when the person may ask again doesn't change. */
function denyPairing(db: Database, id: string): boolean {
  return sql(db, "DELETE FROM gw_pairing WHERE id = ? AND approved_at IS NULL").run(id).changes > 0;
}

function wrongCode(
  db: Database,
  { platform, failures, lockedUntil }: Extract<PairingAnswer, { failures: number }>,
): boolean {
  setLimit(db, `failures:${platform}`, failures);
  if (lockedUntil !== null) setLimit(db, `lockout:${platform}`, lockedUntil);
  return true;
}

function revokePairing(db: Database, platform: string, userId: string): boolean {
  return (
    sql(db, "DELETE FROM gw_pairing WHERE platform = ? AND user_id = ?").run(platform, userId).changes > 0
  );
}

function isPaired(db: Database, platform: string, userIds: readonly string[]): boolean {
  if (userIds.length === 0) return false;
  return (
    sql(
      db,
      `SELECT 1 FROM gw_pairing WHERE platform = ? AND approved_at IS NOT NULL AND user_id IN (${marks(userIds)}) LIMIT 1`,
    ).get(platform, ...userIds) !== undefined
  );
}

/**
 * Imports people approved by another Hermes program, each once: a person revoked here stays revoked unless
 * approved there again.
 */
export function adoptPairings(db: Database, people: readonly ApprovedRow[]): number {
  const strangers = notAdopted(db, people);
  for (const { platform, userId, userName, approvedAt } of strangers) {
    revokePairing(db, platform, userId);
    sql(
      db,
      "INSERT INTO gw_pairing (id, platform, user_id, user_name, created_at, approved_at) VALUES (?, ?, ?, ?, ?, ?)",
    ).run(randomUUID(), platform, userId, userName, approvedAt, approvedAt);
  }
  for (const person of people) setLimit(db, adoptedName(person), person.approvedAt);
  return strangers.length;
}

export function notAdopted(db: Database, people: readonly ApprovedRow[]): ApprovedRow[] {
  return people.filter((person) => {
    const { platform, userId, approvedAt } = person;
    return (limit(db, adoptedName(person)) ?? -1) < approvedAt && !isPaired(db, platform, [userId]);
  });
}

const adoptedName = ({ platform, userId }: ApprovedRow) => `adopted:${platform}:${userId}`;

function forget(db: Database, before: number): void {
  sql(db, "DELETE FROM gw_pairing WHERE approved_at IS NULL AND created_at < ?").run(before);
  sql(db, "DELETE FROM gw_pairing_limits WHERE name LIKE 'request:%' AND value < ?").run(before);
}

function limit(db: Database, name: string): number | null {
  return (
    (sql(db, "SELECT value FROM gw_pairing_limits WHERE name = ?").pluck().get(name) as number | undefined) ??
    null
  );
}

function setLimit(db: Database, name: string, value: number): void {
  sql(
    db,
    "INSERT INTO gw_pairing_limits (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  ).run(name, value);
}
