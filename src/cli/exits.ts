import { readingForMs } from "../store/sqlite/thread.js";
import { printError } from "./output.js";

const INTERRUPTED = 130;

/**
 * `hermes … | head`: when the reader has seen enough there is nobody left to tell, and nothing went wrong. Where the output
 * can't be written (a full disk), `tell` says so and gives the exit code.
 */
export function exitWhenReaderLeaves(tell: (error: unknown) => number): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 0 : tell(error));
  });
  // Whoever doesn't hear that something failed still gets the exit code.
  process.stderr.on("error", () => undefined);
}

/** Ctrl-C ends a command with 130, unless the command listens itself (the gateway has turns to finish). */
export function exitOnInterrupt(): void {
  process.on("SIGINT", () => {
    if (process.listenerCount("SIGINT") === 1) process.exit(INTERRUPTED);
  });
}

/** Runs `clean` when the process ends before the returned function is called. */
export function onEarlyExit(clean: () => void): () => void {
  // Before `exitDespiteReads`, which may be the last thing that happens.
  process.prependListener("exit", clean);
  return () => {
    process.off("exit", clean);
  };
}

/** A read that takes longer may never end. */
const PATIENCE_MS = 1000;

/**
 * At the end of a process Node waits for its threads, and one that is inside of a database statement may take as long as it
 * likes. Writes are committed by then, so the process ends itself by a signal. Someone who interrupts it doesn't wait at all.
 */
export function exitDespiteReads(): void {
  process.on("exit", (code) => {
    const interrupted = code === INTERRUPTED;
    if (readingForMs() <= (interrupted ? 0 : PATIENCE_MS)) return;
    if (!interrupted) printError("A read from the database was still running; the process ends without it.");
    const signal = interrupted ? "SIGINT" : "SIGTERM";
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
