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
    if (process.listenerCount("SIGINT") === 1) process.exit(130);
  });
}

/** Runs `clean` when the process ends before the returned function is called. */
export function onEarlyExit(clean: () => void): () => void {
  process.on("exit", clean);
  return () => {
    process.off("exit", clean);
  };
}
