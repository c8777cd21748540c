import { CommanderError } from "commander";
import { describeError, HermesError } from "../errors.js";
import { explained } from "./files.js";
import { io } from "./io.js";
import { printError } from "./output.js";

const FAILED = 1;
const MISUSED = 2;

/** A word is missing, or two exclude each other. */
export class Misuse extends HermesError {
  constructor(message: string, hint: string) {
    super("invalid", message, { hint });
  }
}

/** Tells the person what went wrong and gives the exit code. */
export function reportFailure(error: unknown): number {
  // Commander has already printed its message; a code of 0 means that help or the version was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
  const { code, message, hint } = describeError(withFile(error));
  if (code === "internal" && !(error instanceof HermesError))
    printError(`error: something unexpected went wrong: ${message}`);
  else printError(`error: ${message}`);
  if (hint) printError(hint);
  if (io().env.HERMES_DEBUG === "1" && error instanceof Error) printError(stackOf(error));
  return error instanceof Misuse ? MISUSED : FAILED;
}

/** What the system said about a file, in words. */
function withFile(error: unknown): unknown {
  const path = error instanceof Error ? (error as NodeJS.ErrnoException).path : undefined;
  return path === undefined ? error : explained(error, path);
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
