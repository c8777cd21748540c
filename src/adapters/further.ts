import { HermesError } from "../errors.js";
import type { Adapter } from "./adapter.js";
import { isBuiltIn } from "./chat-ids.js";

const NAME = /^[a-z][a-z0-9_]*$/;

/** Adapters from outside: session keys, targets and owners are written with their names, so each has one of its own. */
export function checkFurther(adapters: readonly Adapter[]): void {
  const known = new Set<string>();
  for (const { platform, account } of adapters) {
    if (!NAME.test(platform))
      throw new HermesError("invalid", `"${platform}" is no name for a platform`, {
        hint: "Small letters, digits and _: it becomes a part of session keys",
      });
    if (isBuiltIn(platform))
      throw new HermesError("conflict", `The gateway has its own ${platform}`, {
        hint: "Give the adapter another name for its platform",
      });
    const name = `${platform}:${account}`;
    if (known.has(name)) throw new HermesError("conflict", `Two adapters are ${name}`);
    known.add(name);
  }
}
