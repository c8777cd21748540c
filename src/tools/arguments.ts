/** Reads tool arguments leniently ("5" for 5, missing values), then validates them. */

export function textArgument(args: Record<string, unknown>, name: string): string | undefined {
  const value = args[name];
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value).trim();
  return text === "" ? undefined : text;
}

export function wholeArgument(args: Record<string, unknown>, name: string): number | undefined {
  const value = Number(textArgument(args, name) ?? Number.NaN);
  return Number.isInteger(value) ? value : undefined;
}

export function clampedArgument(
  args: Record<string, unknown>,
  name: string,
  { least, most, otherwise }: { least: number; most: number; otherwise: number },
): number {
  return Math.min(most, Math.max(least, wholeArgument(args, name) ?? otherwise));
}
