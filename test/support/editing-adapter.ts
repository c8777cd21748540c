import type { Adapter, CanReact, CanStream, ReactionState } from "../../src/adapters/adapter.js";
import type { Target } from "../../src/message.js";

/** What people see on a platform whose messages can be edited, beside the answers. */
export class Editing implements CanStream, CanReact {
  /** Every text that a preview had, in order. */
  readonly shown: string[] = [];
  readonly left: { id: string; text: string }[] = [];
  readonly reactions: (ReactionState | null)[] = [];
  beforeReact: () => Promise<void> = async () => undefined;
  #count = 0;

  async show(
    _target: Target,
    messageId: string | null,
    text: string,
    _signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string> {
    if (messageId === null) await posting?.();
    this.shown.push(text);
    this.#count += messageId === null ? 1 : 0;
    return messageId ?? `preview-${this.#count}`;
  }

  async abandon(_target: Target, id: string, text: string): Promise<void> {
    this.left.push({ id, text });
  }

  async react(_target: Target, state: ReactionState | null): Promise<void> {
    await this.beforeReact();
    this.reactions.push(state);
  }

  /** The platform in memory, with these abilities in place of its own previews. */
  on(adapter: Adapter): Adapter {
    const own = new Set<PropertyKey>(["show", "abandon", "react"]);
    const from = (target: object, key: PropertyKey): unknown => {
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    };
    return new Proxy(adapter, {
      has: (target, key) => own.has(key) || (key !== "preview" && key in target),
      get: (target, key) => from(own.has(key) ? this : target, key),
    });
  }
}
