/** A map that drops its least recently used entry when it is full. Reads and writes count as use. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #maxSize: number;

  constructor(maxSize: number) {
    if (!(maxSize >= 1)) throw new RangeError(`A bounded map needs a size of at least 1, not ${maxSize}`);
    this.#maxSize = maxSize;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  /** Doesn't count as use. */
  has(key: K): boolean {
    return this.#entries.has(key);
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#maxSize) this.#entries.delete(this.#entries.keys().next().value!);
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** A copy, least recently used first: entries may be read and changed while it is iterated. */
  entries(): [K, V][] {
    return [...this.#entries];
  }
}
