import type { Events } from "../events.js";
import { type Hook, listenersOf } from "./hook.js";
import { type CommandCall, commandEvent, hookEventsOf } from "./hook-events.js";
import { type CommandVerdict, verdictOf } from "./verdict.js";

const CLOSE_GRACE_MS = 2000;

/** Dispatches events to hooks and asks command hooks for a verdict. Hooks can't break message handling. */
export class Hooks {
  readonly #hooks: readonly Hook[];

  constructor(hooks: readonly Hook[]) {
    this.#hooks = hooks;
  }

  /** Starts listening. Resolves when every hook has loaded or failed; events are queued meanwhile. */
  async start(events: Events): Promise<void> {
    if (this.#hooks.length === 0) return;
    events.watch("hooks", (event) => {
      for (const hookEvent of hookEventsOf(event))
        for (const hook of listenersOf(this.#hooks, hookEvent.name)) hook.notify(hookEvent);
    });
    await Promise.all(this.#hooks.map((hook) => hook.start()));
  }

  wantsCommand(command: string): boolean {
    return listenersOf(this.#hooks, `command:${command}`).length > 0;
  }

  /** Asks hooks in order; the first verdict wins. Failures and timeouts count as allow. */
  async askAboutCommand(call: CommandCall): Promise<CommandVerdict | undefined> {
    const event = commandEvent(call);
    const listeners = listenersOf(this.#hooks, event.name);
    for (const hook of listeners) if (!hook.decides) hook.notify(event);
    for (const hook of listeners.filter(({ decides }) => decides)) {
      // A failure is already reported.
      const verdict = verdictOf(await hook.call(event).catch(() => undefined));
      if (verdict) return verdict;
    }
    return undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.#hooks.map((hook) => hook.close(CLOSE_GRACE_MS)));
  }
}
