import { once } from "node:events";
import pc from "picocolors";
import { io } from "./io.js";

type Colors = ReturnType<typeof pc.createColors>;

const PAINTED = pc.createColors(true);
const PLAIN = pc.createColors(false);

/** Only on a terminal: piped output has no escape codes, even where CI or FORCE_COLOR is set. */
function palette(): Colors {
  const { stdout, env } = io();
  return stdout.isTTY && !env.NO_COLOR && env.TERM !== "dumb" ? PAINTED : PLAIN;
}

/** Picocolors' functions; each looks up at the time of the call whether the command's output takes colours. */
export const colors: Colors = Object.defineProperties(
  {} as Colors,
  Object.fromEntries(
    Object.keys(PLAIN).map((name) => [
      name,
      { get: () => palette()[name as keyof Colors], enumerable: true },
    ]),
  ),
);

export function print(text = ""): void {
  io().stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

export function printError(text: string): void {
  io().stderr.write(`${text}\n`);
}

/** For long outputs: waits while the reader is slower than we are. */
export async function writeOut(text: string): Promise<void> {
  const { stdout } = io();
  if (!stdout.write(text)) await once(stdout, "drain");
}

/** Questions are asked on stderr, so that stdout holds only the result. */
export function isInteractive(): boolean {
  const { stdin, stderr } = io();
  return Boolean(stdin.isTTY && stderr.isTTY);
}
