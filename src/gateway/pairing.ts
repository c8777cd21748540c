import { randomBytes, randomUUID } from "node:crypto";
import { nowSeconds } from "../clock.js";
import { targetOf } from "../message.js";
import { hashPairingCode, mayRequestPairing, newPairingCode } from "../policies/pairing.js";
import type { InboxRow } from "../store/queues.js";
import type { Store } from "../store/store.js";

/** A stranger's message → a code for the operator, or silence while the limits say so. */
export async function answerStranger(store: Store, row: InboxRow): Promise<void> {
  const { message } = row;
  const { platform, origin } = message;
  const userId = origin.userId ?? origin.userIdAlt;
  const state = userId ? await store.pairingState(platform, userId) : undefined;
  const now = nowSeconds();
  const permission = state && mayRequestPairing(withoutNulls(state), now);
  if (!userId || !permission?.ok) {
    const reason = permission && !permission.ok ? permission.reason : "no_user_id";
    await store.settleMessage({
      inboxId: row.id,
      state: "refused",
      reason: `pairing: ${reason}`,
      replies: [],
    });
    return;
  }
  const code = newPairingCode((count) => randomBytes(count));
  const salt = randomBytes(16).toString("hex");
  const text = `Hi! I don't know you yet. Ask my operator to run:\n\n\`hermes pairing approve ${platform} ${code}\`\n\nThe code is good for an hour.`;
  const pairing = {
    id: randomUUID().replaceAll("-", "").slice(0, 16),
    platform,
    userId,
    userName: origin.userName ?? null,
    hash: hashPairingCode(code, salt),
    salt,
    createdAt: now,
  };
  await store.addPairing(pairing, {
    inboxId: row.id,
    state: "refused",
    reason: "pairing: code sent",
    replies: [{ target: targetOf(message), kind: "notice", text }],
  });
}

function withoutNulls(state: {
  pending: { createdAt: number }[];
  lastRequestAt: number | null;
  lockedUntil: number | null;
}) {
  return {
    pending: state.pending,
    lastRequestAt: state.lastRequestAt ?? undefined,
    lockedUntil: state.lockedUntil ?? undefined,
  };
}
