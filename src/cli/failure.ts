import { CommanderError } from "commander";
import { describeError, HermesError } from "../errors.js";
import { explained } from "../whole-file.js";
import { plain } from "./cells.js";
import { io } from "./io.js";
import { printError } from "./output.js";

const FAILED = 1;
const MISUSED = 2;

/** An argument is missing, or two are mutually exclusive. */
export class Misuse extends HermesError {
  constructor(message: string, hint: string) {
    super("invalid", message, { hint });
  }
}

/** Prints the error and returns the exit code. */
export function reportFailure(error: unknown): number {
  // Commander has already printed its message; a code of 0 means that help or the version was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
  const { code, message, hint } = describeError(withFile(error));
  if (code === "internal" && !(error instanceof HermesError))
    printError(`error: internal error: ${plain(message)}`);
  else printError(`error: ${plain(message)}`);
  if (hint) printError(plain(hint));
  if (io().env.HERMES_DEBUG === "1" && error instanceof Error) printError(stackOf(error));
  return error instanceof Misuse ? MISUSED : FAILED;
}

/** A file system error as a sentence. */
function withFile(error: unknown): unknown {
  const path = error instanceof Error ? (error as NodeJS.ErrnoException).path : undefined;
  return path === undefined ? error : explained(error, path);
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
