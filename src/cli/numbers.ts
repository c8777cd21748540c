/** 1234567 → `1,234,567`, the same in every locale. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 1 });
}

/** 13002342 → `12.4 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}

/** `1 session`, `2 sessions`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
