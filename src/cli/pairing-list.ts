import type { Position } from "../store/common.js";
import type { PairingPage, Reports } from "../store/reports.js";

export type Pairings = Pick<PairingPage, "pending" | "approved">;

const PER_PAGE = 200;

/** Every request since then, and everyone who is approved, oldest first. */
export async function allPairings(reports: Reports, since = 0): Promise<Pairings> {
  const all: Pairings = { pending: [], approved: [] };
  let before: Position | undefined;
  for (;;) {
    const page = await reports.pairingPage({ since, limit: PER_PAGE, ...(before ? { before } : {}) });
    all.approved.push(...page.approved);
    if (page.next === null) return { pending: page.pending.toReversed(), approved: all.approved.reverse() };
    before = page.next;
  }
}
