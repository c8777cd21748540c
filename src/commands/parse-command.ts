/** Parses a message: is it a command, which one, with which arguments. */

export interface ParsedCommand {
  isCommand: boolean;
  /** Lower case; null for plain text and for text that only looks like a command (a file path). */
  command: string | null;
  args: string;
}

export function parseCommand(text: string): ParsedCommand {
  if (!text.startsWith("/")) return { isCommand: false, command: null, args: text };
  const [, token, rest] = /^\/(\S*)\s*([\s\S]*)$/.exec(text)!;
  const name = token!.toLowerCase().split("@", 1)[0]!;
  return { isCommand: true, command: name.includes("/") ? null : name, args: plainDashes(rest!) };
}

/** Phones autocorrect "--flag" to a dash. */
function plainDashes(args: string): string {
  return args.replaceAll("—", "--").replaceAll("–", "-");
}

/** The most similar command; undefined if none is similar enough. */
export function nearestCommand(name: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let best = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    // The difference in length is already too large; input may have 100,000 characters.
    if (name.length - candidate.length >= best) continue;
    const distance = typingDistance(name, candidate);
    if (distance < best) [nearest, best] = [candidate, distance];
  }
  return nearest ?? names.find((candidate) => name.length >= 3 && candidate.startsWith(name));
}

/** Number of inserted, deleted, replaced or swapped characters (optimal string alignment). */
function typingDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const wrong = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2]![j - 2]! + 1 : wrong;
      row.push(Math.min(wrong, swapped, rows[i - 1]![j]! + 1, row[j - 1]! + 1));
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
