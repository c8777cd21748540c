import { isPicture } from "../media/images.js";
import type { InboundMessage } from "../message.js";
import { BACKGROUND } from "../one-turn.js";
import { busyDecision } from "../policies/busy.js";
import type { SessionKey } from "../session.js";
import type { InboxRow } from "../store/queues.js";
import { burstWaitMs } from "./burst.js";
import type { Context } from "./context.js";
import { type LaneOptions, Lanes, type Reservation } from "./lanes.js";

/** Messages that get a turn → their session's lane, or its running turn. */
export class Queue {
  readonly lanes: Lanes;
  readonly #context: Context;

  constructor(context: Context, stages: Pick<LaneOptions, "run" | "refill" | "onError">) {
    this.#context = context;
    this.lanes = new Lanes({
      ...stages,
      maxConcurrent: context.config.max_concurrent_sessions ?? Number.POSITIVE_INFINITY,
      settleMs: ({ message }) => burstWaitMs(message, context.adapterFor(message)?.burst),
    });
  }

  add(row: InboxRow): void {
    const { sessionKey, message } = row;
    const { lanes } = this;
    if (!lanes.isRunning(sessionKey)) {
      lanes.push({ row });
      return;
    }
    const mode = message.request ? "queue" : this.#context.config.display.busy_input_mode;
    // A running turn only accepts text: images wait for their own turn.
    const canSteer = !message.attachments.some(isPicture);
    const decision = busyDecision(mode, { running: true, isCommand: false, canSteer });
    if (decision === "steer") lanes.steer(row);
    else lanes.push({ row });
    if (decision === "interrupt") lanes.abort(sessionKey, "interrupted");
  }

  /** A lane where a message that isn't stored yet can start immediately; undefined if it must wait. */
  reserve(message: InboundMessage, key: SessionKey): Reservation | undefined {
    const waits = burstWaitMs(message, this.#context.adapterFor(message)?.burst) > 0;
    return waits ? undefined : this.lanes.reserve(key);
  }

  hasBackgroundWork(key: SessionKey): boolean {
    return this.lanes.hasWork(`${key}${BACKGROUND}`);
  }

  isBusy(key: SessionKey): boolean {
    return this.lanes.isRunning(key) || this.lanes.waiting(key) > 0 || this.hasBackgroundWork(key);
  }
}
