import { once } from "node:events";
import pc from "picocolors";

/** Unlike picocolors' own default, never in a pipe: not even where CI or FORCE_COLOR is set. */
export const colors = pc.createColors(Boolean(process.stdout.isTTY) && pc.isColorSupported);

export function print(text = ""): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

export function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** For long outputs: waits while the reader is slower than we are. */
export async function writeOut(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

/** Questions are asked on stderr, so that stdout holds nothing but the answer. */
export function isInteractive(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY);
}
