/** JSON in `localStorage`. If that is blocked or full, values last until the page is closed. */
const memory = new Map<string, string>();

export function readStorage<T>(key: string, fallback: T): T {
  try {
    const text = memory.get(key) ?? localStorage.getItem(key);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    // Blocked, or not JSON.
    return fallback;
  }
}

export function writeStorage(key: string, value: unknown): void {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(key, text);
    memory.delete(key);
  } catch {
    // Full or blocked.
    memory.set(key, text);
  }
}
