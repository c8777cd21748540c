/** `hermes … | head`: when the reader has seen enough there is nobody left to tell, and nothing went wrong. */
export function exitWhenReaderLeaves(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
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
