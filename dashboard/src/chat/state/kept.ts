/** What the browser keeps for us. One that keeps nothing, or is full, works until the page is closed. */
const memory = new Map<string, string>();

export function kept<T>(key: string, fallback: T): T {
  try {
    const text = memory.get(key) ?? localStorage.getItem(key);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    // Forbidden, or not ours: as if nothing was kept.
    return fallback;
  }
}

export function keep(key: string, value: unknown): void {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(key, text);
    memory.delete(key);
  } catch {
    // Full or forbidden.
    memory.set(key, text);
  }
}
