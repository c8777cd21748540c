import { randomBytes, randomUUID } from "node:crypto";
import { nowSeconds } from "../clock.js";
import { targetOf } from "../message.js";
import { hashPairingCode, newPairingCode } from "../policies/pairing.js";
import type { InboxRow } from "../store/queues.js";
import type { Store } from "../store/store.js";

/** A stranger's message → a pairing code, or no reply if a limit is reached. */
export class Pairing {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async answer(row: InboxRow): Promise<void> {
    const { origin } = row.message;
    const userId = origin.userId ?? origin.userIdAlt;
    const refused = userId ? await this.#offerCode(row, userId) : "no_user_id";
    if (refused === undefined) return;
    await this.#store.settleMessage({
      inboxId: row.id,
      state: "refused",
      reason: `pairing: ${refused}`,
      replies: [],
    });
  }

  /** Which limit forbids a code, if any. */
  async #offerCode({ id: inboxId, message }: InboxRow, userId: string): Promise<string | undefined> {
    const { platform, origin } = message;
    const code = newPairingCode((count) => randomBytes(count));
    const salt = randomBytes(16).toString("hex");
    const text = `Hi! I don't know you yet. Ask my operator to run:\n\n\`hermes pairing approve ${platform} ${code}\`\n\nThe code is valid for an hour.`;
    const permission = await this.#store.addPairing(
      {
        id: randomUUID().replaceAll("-", "").slice(0, 16),
        platform,
        userId,
        userName: origin.userName ?? null,
        hash: hashPairingCode(code, salt),
        salt,
        createdAt: nowSeconds(),
      },
      {
        inboxId,
        state: "refused",
        reason: "pairing: code sent",
        replies: [{ target: targetOf(message), kind: "notice", text }],
      },
    );
    return permission.ok ? undefined : permission.reason;
  }
}
