import { readingForMs } from "../store/open.js";
import { explained } from "../whole-file.js";
import { reportFailure } from "./failure.js";
import { printError } from "./output.js";

const INTERRUPTED = 130;

/** How the process ends: when its output is closed, when it is interrupted, and while a read is running. */
export function guardProcess(): void {
  exitWhenReaderLeaves();
  exitOnInterrupt();
  exitDespiteReads();
}

/** `hermes … | head` closes the pipe, which isn't an error. Output that can't be written for other reasons (disk full) is. */
function exitWhenReaderLeaves(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 0 : reportFailure(explained(error, "the output")));
  });
  // The exit code still reports the failure.
  process.stderr.on("error", () => undefined);
}

/** Ctrl-C ends a command with 130, unless the command listens itself (the gateway has turns to finish). */
function exitOnInterrupt(): void {
  process.on("SIGINT", () => {
    if (process.listenerCount("SIGINT") === 1) process.exit(INTERRUPTED);
  });
}

/** A read that takes longer may never end. */
const PATIENCE_MS = 1000;

/**
 * On exit Node waits for its threads, and one inside a database statement may take any time. Writes are
 * committed by then, so the process ends itself by a signal. On an interrupt it doesn't wait at all.
 */
export function exitDespiteReads(): void {
  process.on("exit", (code) => {
    const interrupted = code === INTERRUPTED;
    if (readingForMs() <= (interrupted ? 0 : PATIENCE_MS)) return;
    if (!interrupted) printError("A database read is still running; exiting without it.");
    const signal = interrupted ? "SIGINT" : "SIGTERM";
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
