import type { AcceptedMessage, AcceptedStart, InboxRow, StartedTurn } from "../store/queues.js";
import type { After } from "./after.js";
import type { Queue } from "./queue.js";
import type { Resolver } from "./resolve.js";
import type { Router } from "./route.js";

/** The turn of a message that is being stored: it starts with the commit that accepts the message. */
export interface EarlyTurn {
  /** A promise where something has to be read first. Undefined: the turn has to start by itself. */
  start: AcceptedStart | Promise<AcceptedStart | undefined>;
  /** It is in the store. */
  begin(row: InboxRow, started: StartedTurn): void;
  /** The message was only accepted, or not even that. */
  release(): void;
}

export interface EarlyStages {
  router: Router;
  queue: Queue;
  resolver: Resolver;
  after: After;
}

/**
 * Routes a message before it is stored. If it gets a turn that can start at once, one commit does both. Nothing is decided for
 * good before it: the store checks that no older message waits and that the route is the one that was expected.
 */
export function earlyTurn(stages: EarlyStages, accepted: AcceptedMessage): EarlyTurn | undefined {
  const { message, receivedAt, sessionKey, cursor } = accepted;
  const { router, queue, resolver, after } = stages;
  if (after.isShortening(sessionKey) || !router.getsTurn(message, receivedAt)) return undefined;
  // A cursor says that everything before it is stored: its message can't wait.
  const mayRead = cursor === undefined;
  const reservation = queue.reserve(message, sessionKey);
  const prepared = reservation && resolver.prepare(message, sessionKey, mayRead);
  if (!prepared) {
    reservation?.release();
    return undefined;
  }
  const ahead = "ahead" in prepared ? prepared.ahead : undefined;
  return {
    start: "start" in prepared ? prepared.start : prepared,
    begin(row, started) {
      router.startedEarly(row);
      reservation.start(row, { started, ahead });
    },
    release: () => reservation.release(),
  };
}
