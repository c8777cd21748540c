import type { TerminalView } from "../../adapters/cli/index.js";
import type { Events, GatewayEventOf, TurnEnd } from "../../events.js";
import type { InboundMessage, OutboundMessage } from "../../message.js";
import type { Store } from "../../store/store.js";
import { type TraceId, traceIdOf } from "../../trace-id.js";

/** Fallback poll for changes that emit no event. */
const LOOK_AGAIN_MS = 1000;

/** Everything was shown, and nothing more will follow. */
export async function isOver(store: Store, shown: Shown, message: InboundMessage): Promise<boolean> {
  const about = ({ platform, account, eventId }: InboundMessage) =>
    store.eventOutcome(platform, account, eventId);
  const outcome = await about(message);
  // Another terminal continues it.
  if (!outcome) return true;
  const end = shown.ended(message);
  if (!outcome.over || (outcome.sessionId !== null && !end)) return false;
  // Consecutive messages share one answer: the first one's.
  const first = end?.message ?? message;
  const answered = first.eventId === message.eventId ? outcome : await about(first);
  return shown.count(first) >= (answered?.answers.length ?? 0);
}

/** Maximum remembered messages; the oldest are dropped. */
const MAX_REMEMBERED = 1000;
const GOES_ON = new Set<TurnEnd["outcome"]>(["retrying", "overtaken", "released"]);

type TurnEnded = GatewayEventOf<"turn-ended">;

/** Tracks what was shown and which turns ended, per message. */
export class Shown implements TerminalView {
  readonly #view: TerminalView;
  readonly #counts = new Map<TraceId, number>();
  readonly #ends = new Map<TraceId, TurnEnded>();
  readonly #waiting = new Set<() => void>();
  /** Ends the watch. */
  readonly close: () => void;

  constructor(view: TerminalView, events: Events) {
    this.#view = view;
    this.close = events.watch("terminal", (event) => {
      if (event.type === "turn-ended" && !GOES_ON.has(event.outcome))
        for (const traceId of event.traceIds) remember(this.#ends, traceId, event);
      for (const again of this.#waiting) again();
    });
  }

  preview(turnId: string, text: string): void {
    this.#view.preview(turnId, text);
  }

  show(message: OutboundMessage): void {
    this.#view.show(message);
    const { traceId = "" } = message;
    remember(this.#counts, traceId, (this.#counts.get(traceId) ?? 0) + 1);
  }

  decide(messageId: string, text: string): void {
    this.#view.decide(messageId, text);
  }

  /** How many answers to it were shown. */
  count(message: InboundMessage): number {
    return this.#counts.get(traceIdOf(message)) ?? 0;
  }

  ended(message: InboundMessage): TurnEnded | undefined {
    return this.#ends.get(traceIdOf(message));
  }

  /** Checks again on every event. */
  async until(isDone: () => Promise<boolean>): Promise<void> {
    for (;;) {
      let look: () => void = () => undefined;
      const changed = new Promise<void>((resolve) => {
        look = resolve;
      });
      this.#waiting.add(look);
      const timer = setTimeout(look, LOOK_AGAIN_MS);
      try {
        if (await isDone()) return;
        await changed;
      } finally {
        clearTimeout(timer);
        this.#waiting.delete(look);
      }
    }
  }
}

function remember<T>(map: Map<TraceId, T>, key: TraceId, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
