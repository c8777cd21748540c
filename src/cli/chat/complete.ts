/** What Tab may complete. */
export interface Completions {
  /** Without their slash. */
  commands: readonly string[];
  titles(): Promise<readonly string[]>;
}

/** Only in the terminal. */
export const LEAVE = ["exit", "quit"] as const;

const TAKES_TITLE = /^\/resume\s+(.*)$/is;

/** The line so far → candidates, and the part of the line that they complete. */
export async function complete(line: string, { commands, titles }: Completions): Promise<[string[], string]> {
  const title = TAKES_TITLE.exec(line)?.[1];
  if (title !== undefined) {
    const begun = title.toLowerCase();
    return [(await titles()).filter((name) => name.toLowerCase().startsWith(begun)), title];
  }
  if (!/^\/\S*$/.test(line)) return [[], line];
  const names = [...commands, ...LEAVE].toSorted().map((name) => `/${name} `);
  return [names.filter((name) => name.startsWith(line.toLowerCase())), line];
}
