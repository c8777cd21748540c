import { once } from "node:events";
import pc from "picocolors";
import { io, type Output } from "./io.js";

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
  const { stdout } = io();
  stdout.write(`${shownOn(stdout, text)}\n`);
}

export function printJson(value: unknown): void {
  print(escaped(JSON.stringify(value, null, 2)));
}

export function printError(text: string): void {
  const { stderr } = io();
  stderr.write(`${shownOn(stderr, text)}\n`);
}

/** Terminal control sequences except colours. Listings remove them earlier; this covers all other output. */
const COMMANDS =
  /\u001b(?!\[[0-9;]{0,16}m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

function shownOn(output: Output, text: string): string {
  return output.isTTY ? text.replace(COMMANDS, "") : text;
}

/** JSON itself escapes only a part of them. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** For long outputs: waits while the reader is slower than we are. */
export async function writeOut(text: string): Promise<void> {
  const { stdout } = io();
  if (!stdout.write(shownOn(stdout, text))) await once(stdout, "drain");
}

/** Questions are asked on stderr, so that stdout holds only the result. */
export function isInteractive(): boolean {
  const { stdin, stderr } = io();
  return Boolean(stdin.isTTY && stderr.isTTY);
}
