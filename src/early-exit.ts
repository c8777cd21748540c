/** Runs `clean` when the process ends before the returned function is called. */
export function onEarlyExit(clean: () => void): () => void {
  // Runs before `exitDespiteReads`, which may end the process with a signal.
  process.prependListener("exit", clean);
  return () => {
    process.off("exit", clean);
  };
}
