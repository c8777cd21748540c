import type { Identity } from "../sessions/key.js";
import type { AcceptedMessage, AcceptedStart, InboxRow, StartedTurn } from "../store/queues.js";
import type { After } from "./after.js";
import type { Queue } from "./queue.js";
import type { Resolver } from "./resolve.js";
import type { Router } from "./route.js";

/** The turn of a message that is being stored. It starts in the commit that accepts the message. */
export interface EarlyTurn {
  /** A promise if something must be read first. Undefined if the turn must start separately. */
  start: AcceptedStart | Promise<AcceptedStart | undefined>;
  /** The store has started the turn. */
  begin(row: InboxRow, started: StartedTurn): void;
  /** The message was only accepted, or rejected. */
  release(): void;
}

export interface EarlyStages {
  router: Router;
  queue: Queue;
  resolver: Resolver;
  after: After;
}

/**
 * Routes a message before it is stored. If its turn can start immediately, one commit does both. The commit
 * decides: the store checks that no older message is waiting and that the route is the expected one.
 */
export function earlyTurn(
  stages: EarlyStages,
  accepted: AcceptedMessage,
  identity: Identity,
): EarlyTurn | undefined {
  const { message, receivedAt, sessionKey, cursor } = accepted;
  const { router, queue, resolver, after } = stages;
  if (after.isShortening(sessionKey) || !router.getsTurn(message, receivedAt)) return undefined;
  // A cursor means that everything before it is stored, so its message can't wait.
  const mayRead = cursor === undefined;
  const reservation = queue.reserve(message, sessionKey);
  const prepared = reservation && resolver.prepare(accepted, identity, mayRead);
  if (!prepared) {
    reservation?.release();
    return undefined;
  }
  const { start, ahead, facts } = prepared;
  return {
    start,
    begin(row, started) {
      router.startedEarly(row);
      reservation.start(row, { started, ahead, facts });
    },
    release: () => reservation.release(),
  };
}
