/** Runs recheck on each pattern once, many in parallel. */
import { availableParallelism } from "node:os";
import { check } from "recheck";

/** Undefined if matching is linear; otherwise the problem. */
export type Verdict = string | undefined;

/** Generous, so a slow machine gets the same verdict. */
const LIMITS = { timeout: 60_000, attackTimeout: null, incubationTimeout: null };

export async function verdictsOn(
  patterns: Iterable<{ source: string; flags: string }>,
): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  const waiting = new Map([...patterns].map((pattern) => [keyOf(pattern), pattern])).entries();
  const work = async () => {
    for (const [key, { source, flags }] of waiting) verdicts.set(key, await verdictOn(source, flags));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return verdicts;
}

export function keyOf({ source, flags }: { source: string; flags: string }): string {
  return `/${source}/${flags}`;
}

async function verdictOn(source: string, flags: string): Promise<Verdict> {
  const result = await check(source, flags, LIMITS);
  if (result.status === "safe") return undefined;
  if (result.status === "unknown") return `recheck can't tell (${result.error.kind})`;
  return `${result.complexity.summary}, attacked by ${result.attack.pattern}`;
}
