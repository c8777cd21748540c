import { canReact, type ReactionState } from "../adapters/adapter.js";
import type { TurnEnd } from "../events.js";
import type { Target } from "../message.js";
import { withSignal, withTimeout } from "../timeout.js";
import type { Context } from "./context.js";
import type { Turn } from "./turn.js";

const CALL_MS = 5000;
/** Limits pending calls to a platform that doesn't answer. */
const MAX_OPEN = 200;

/** The reaction after a turn ends; null removes it, undefined if the turn continues. */
export const AFTER: Record<TurnEnd["outcome"], ReactionState | null | undefined> = {
  answered: "done",
  failed: "failed",
  silent: null,
  interrupted: null,
  stopped: null,
  ...{ retrying: undefined, overtaken: undefined, suspended: undefined, released: undefined },
};

/** Shows a message's state as a reaction on it. Best effort: nothing waits for it, and failures are ignored. */
export class Reactions {
  readonly #context: Pick<Context, "config" | "log" | "stopping">;
  /** The last call per message, to keep calls in order. */
  readonly #open = new Map<string, Promise<void>>();

  constructor(context: Pick<Context, "config" | "log" | "stopping">) {
    this.#context = context;
  }

  show({ adapter, target, first, id }: Turn, state: ReactionState | null | undefined): void {
    const { display } = this.#context.config;
    const { task, request, platform } = first.message;
    const wanted = display.platforms[platform]?.reactions ?? display.reactions;
    if (!wanted || state === undefined || task || request || !adapter || !canReact(adapter)) return;
    const before = this.#open.get(id);
    if (!before && this.#open.size >= MAX_OPEN) return;
    const react = (to: Target, signal: AbortSignal) => adapter.react(to, state, signal);
    const work = (before ?? Promise.resolve())
      .then(() => this.#call(react, target))
      .catch((error: unknown) => this.#context.log.debug({ err: error, turnId: id }, "reaction failed"))
      .finally(() => {
        if (this.#open.get(id) === work) this.#open.delete(id);
      });
    this.#open.set(id, work);
  }

  async #call(react: (to: Target, signal: AbortSignal) => Promise<void>, target: Target): Promise<void> {
    const { stopping } = this.#context;
    if (stopping.aborted || target.replyTo === null) return;
    const limits = { signals: [stopping], ms: CALL_MS };
    await withSignal(limits, (signal) => withTimeout(react(target, signal), CALL_MS));
  }
}
