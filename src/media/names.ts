const LONGEST_NAME = 120;

/** A file's name to be read, never to be opened: no folders, nothing that steers a terminal. */
export function displayName(name: string): string {
  return name
    .replace(/^.*[\\/]/s, "")
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .slice(0, LONGEST_NAME);
}
