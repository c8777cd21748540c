/** Plain nested objects: configuration before it is checked. */

export type Tree = { [key: string]: unknown };

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function getIn(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}

/**
 * Writes a value and creates the objects above it. Does nothing if something other than an object is in the
 * way; the check reports that.
 */
export function setIn(tree: Tree, path: readonly string[], value: unknown): void {
  let at = tree;
  for (const key of path.slice(0, -1)) {
    if (!Array.isArray(at) && !Object.hasOwn(at, key)) define(at, key, {});
    const next = getIn(at, [key]);
    if (typeof next !== "object" || next === null) return;
    at = next as Tree;
  }
  // Lists are set as a whole.
  if (!Array.isArray(at)) define(at, path.at(-1)!, value);
}

/** An own property with any name: `__proto__` from a file stays an unknown key. */
export function define(tree: Tree, key: string, value: unknown): void {
  Object.defineProperty(tree, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Every value with its path; lists and empty objects count as one value. */
export function* leaves(
  value: unknown,
  above: readonly string[] = [],
): Generator<[path: string[], value: unknown]> {
  if (isTree(value) && (above.length === 0 || Object.keys(value).length > 0)) {
    for (const [key, below] of Object.entries(value)) yield* leaves(below, [...above, key]);
  } else yield [[...above], value];
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const below of Object.values(value)) deepFreeze(below);
  }
  return value;
}
