/** Which platforms a configuration was loaded with: the built-in ones, and those of plugins and embedding programs. */

import type { Platform } from "../adapters/platform.js";
import { BUILT_IN } from "../adapters/platforms.js";

const externalOf = new WeakMap<object, readonly Platform[]>();

export function rememberExternal(config: object, external: readonly Platform[]): void {
  externalOf.set(config, external);
}

/** Those of plugins and embedding programs. */
export function externalTo(config: object): readonly Platform[] {
  return externalOf.get(config) ?? [];
}

export function platformsOf(config: object): readonly Platform[] {
  return [...BUILT_IN, ...externalTo(config)];
}
