/** 1234567 → `1,234,567`, the same in every locale. */
export function grouped(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 1 });
}

/** 13002342 → `12.4 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}

/** 13002342 → `12.4 MB`, 130023420000 → `121.1 GB`. */
export function dataSize(bytes: number): string {
  const gigabytes = bytes / 1024 ** 3;
  return gigabytes >= 1 ? `${gigabytes.toFixed(1)} GB` : megabytes(bytes);
}

/** `1 session`, `2 sessions`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
