const MAX_NAME = 120;

/** A file name for display only: no folders, no control characters. */
export function displayName(name: string): string {
  return name
    .replace(/^.*[\\/]/s, "")
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .slice(0, MAX_NAME);
}
