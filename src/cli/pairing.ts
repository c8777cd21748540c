/** `hermes pairing`: pairing requests and approved people. */

import { Command } from "commander";
import { chatPlatformNames } from "../adapters/platforms.js";
import { nowSeconds } from "../clock.js";
import { HermesError } from "../errors.js";
import { afterFailedApproval, matchPairing, mayApprove, PAIRING_TTL_SECONDS } from "../policies/pairing.js";
import type { ApprovedRow, PairingRow } from "../store/queues.js";
import type { PairingPage } from "../store/reports.js";
import type { Store } from "../store/store.js";
import { drawColumns } from "./columns.js";
import { counted } from "./numbers.js";
import { noDatabase, SHORT, withStore } from "./open.js";
import { jsonOption } from "./options.js";
import { print, printJson } from "./output.js";
import { allPairings, type Pairings } from "./pairing-list.js";
import { relativeTime } from "./times.js";

interface JsonOption {
  json?: boolean;
}

export function pairingCommand(): Command {
  const command = new Command("pairing").description("Approve people who asked to talk to the bot");
  command
    .command("list")
    .description("Show requests and approved people")
    .addOption(jsonOption())
    .action(list);
  command
    .command("approve")
    .description("Approve the person with this code")
    .argument("<platform>", chatPlatformNames(), lowerCase)
    .argument("<code>", "as shown by the bot")
    .addOption(jsonOption())
    .action(approve);
  command
    .command("revoke")
    .description("Revoke a person's approval")
    .argument("<platform>", chatPlatformNames(), lowerCase)
    .argument("<user>", "the user's id")
    .addOption(jsonOption())
    .action(revoke);
  command
    .command("clear-pending")
    .description("Delete all pending requests")
    .addOption(jsonOption())
    .action(clearPending);
  return command;
}

/** Platform names are lower case. */
function lowerCase(text: string): string {
  return text.toLowerCase();
}

// --- list ---------------------------------------------------------------------------------------------------------

async function list({ json }: JsonOption): Promise<void> {
  const now = nowSeconds();
  const { pending, approved } = await withStore<Pairings>(
    (store) => allPairings(store.reports, now - PAIRING_TTL_SECONDS),
    () => ({ pending: [], approved: [] }),
    SHORT,
  );
  if (json) printJson({ pending: pending.map(withExpiry), approved });
  else print(drawPairings(pending, approved, now));
}

type Pending = PairingPage["pending"][number];

function withExpiry(row: Pending): object {
  return { ...row, expiresAt: row.createdAt + PAIRING_TTL_SECONDS };
}

function drawPairings(pending: readonly Pending[], approved: readonly ApprovedRow[], now: number): string {
  const waiting = pending.map((row) => [...person(row), `${minutesLeft(row, now)}m left`]);
  const known = approved.map((row) => [...person(row), relativeTime(row.approvedAt, now)]);
  return [
    waiting.length === 0 ? "No pending requests." : table(waiting, "Expires"),
    known.length === 0 ? "No one is approved yet." : table(known, "Approved"),
  ].join("\n\n");
}

function person({ platform, userId, userName }: Pending | ApprovedRow): string[] {
  return [platform, userId, userName ?? "—"];
}

function minutesLeft({ createdAt }: Pending, now: number): number {
  return Math.ceil((createdAt + PAIRING_TTL_SECONDS - now) / 60);
}

function table(rows: readonly (readonly string[])[], last: string): string {
  const columns = [
    { header: "Platform", width: 12 },
    { header: "User", width: 24 },
    { header: "Name", width: 28, cut: 26, min: 8 },
    { header: last, width: 12 },
  ];
  return drawColumns(columns, rows, 80);
}

// --- approve ------------------------------------------------------------------------------------------------------

async function approve(platform: string, code: string, { json }: JsonOption): Promise<void> {
  const { userId, userName } = await withStore(
    (store) => approveCode(store, platform, code),
    noDatabase,
    SHORT,
  );
  if (json) printJson({ approved: { platform, userId, userName } });
  else print(`Approved ${named({ userId, userName })} on ${platform}.`);
}

async function approveCode(store: Store, platform: string, code: string): Promise<PairingRow> {
  const now = nowSeconds();
  // Failures and the lock-out count per platform, not per person.
  const { pending, failures, lockedUntil } = await store.pairingState(platform);
  const permission = mayApprove({ lockedUntil: lockedUntil ?? undefined }, now);
  if (!permission.ok) throw lockedOut(platform, permission.retryAfterSeconds);
  const match = matchPairing(code, pending, now);
  if (match.ok && (await store.settlePairing({ id: match.pending.id, approved: true }))) return match.pending;
  const next = afterFailedApproval(failures, now);
  const { failures: wrong, lockedUntil: until = null } = next;
  await store.settlePairing({ platform, failures: wrong, lockedUntil: until });
  throw wrongCode(platform, match.ok ? "unknown_code" : match.reason, next.lockedUntil !== undefined);
}

function lockedOut(platform: string, seconds: number): HermesError {
  return new HermesError("refused", `Too many wrong codes: pairing on ${platform} is locked.`, {
    hint: `Try again in ${counted(Math.ceil(seconds / 60), "minute")}.`,
  });
}

function wrongCode(platform: string, reason: "unknown_code" | "expired", locks: boolean): HermesError {
  const what = reason === "expired" ? "That code has expired" : "That code is not known";
  const lock = locks ? " Too many wrong codes: pairing is locked for an hour." : "";
  return new HermesError("not_found", `${what} on ${platform}.${lock}`, {
    hint: "A code is valid for one hour. For a new one, the person writes to the bot again.",
  });
}

// --- revoke, clear ------------------------------------------------------------------------------------------------

async function revoke(platform: string, userId: string, { json }: JsonOption): Promise<void> {
  const revoked = await withStore(
    (store) => store.settlePairing({ platform, revoked: userId }),
    () => false,
    SHORT,
  );
  if (!revoked) {
    throw new HermesError("not_found", `${userId} is not paired on ${platform}.`, {
      hint: "`hermes pairing list` shows who is.",
    });
  }
  if (json) printJson({ revoked: { platform, userId } });
  else print(`Revoked ${userId} on ${platform}.`);
}

async function clearPending({ json }: JsonOption): Promise<void> {
  const cleared = await withStore(forgetPending, () => 0, SHORT);
  if (json) printJson({ cleared });
  else print(`Cleared ${counted(cleared, "request")}.`);
}

/** Revoking would also remove an approval, so requests of approved people stay until they expire. */
async function forgetPending(store: Store): Promise<number> {
  const { pending, approved } = await allPairings(store.reports);
  const known = new Set(approved.map(({ platform, userId }) => JSON.stringify([platform, userId])));
  let cleared = 0;
  for (const { platform, userId } of pending) {
    if (known.has(JSON.stringify([platform, userId]))) continue;
    if (await store.settlePairing({ platform, revoked: userId })) cleared += 1;
  }
  return cleared;
}

function named({ userId, userName }: { userId: string; userName: string | null }): string {
  return userName ? `${userName} (${userId})` : userId;
}
