import { audienceOf, type Room, type Target, targetOf } from "../message.js";
import { endAfterTurn } from "../one-turn.js";
import type { EndReason } from "../session.js";
import type { Identity } from "../sessions/key.js";
import type { InboxRow } from "../store/queues.js";
import { type Asker, askerOf } from "./asker.js";
import type { Context } from "./context.js";

/** What follows from a turn's first message. Computed once, before the turn starts. */
export interface TurnFacts extends Asker {
  /** Where the answer goes. */
  target: Target;
  /** The room that reads it; undefined: only the person does, or the answer goes nowhere. */
  room: Room | undefined;
  /** Why the session ends with the turn; undefined if it continues. */
  end: EndReason | undefined;
}

/** `identity`: of the message's origin, if it is known already. */
export function turnFactsOf(
  row: Pick<InboxRow, "message" | "sessionKey">,
  context: Pick<Context, "config" | "isolation" | "keys">,
  identity?: Identity,
): TurnFacts {
  const { message } = row;
  return {
    ...askerOf(message, context, identity),
    target: targetOf(message),
    room: audienceOf(message),
    end: endAfterTurn(row),
  };
}
