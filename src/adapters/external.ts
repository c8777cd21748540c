import { HermesError } from "../errors.js";
import type { Adapter } from "./adapter.js";
import { isBuiltIn } from "./chat-ids.js";

const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Session keys, targets and owners contain the platform's name, so it has to be valid and unique. */
export function checkPlatformName(name: unknown): asserts name is string {
  if (typeof name !== "string" || !NAME.test(name))
    throw new HermesError("invalid", `Invalid platform name "${String(name)}"`, {
      hint: "Use lower case letters, digits and _: it becomes a part of session keys",
    });
  if (isBuiltIn(name))
    throw new HermesError("conflict", `The gateway has its own ${name}`, {
      hint: "Give the platform another name",
    });
}

/** Adapters from an embedding program or a plugin. */
export function checkExternal(adapters: readonly Adapter[]): void {
  const known = new Set<string>();
  for (const { platform, account } of adapters) {
    checkPlatformName(platform);
    const name = `${platform}:${account}`;
    if (known.has(name)) throw new HermesError("conflict", `Two adapters are ${name}`);
    known.add(name);
  }
}
