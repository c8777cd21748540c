import { type ChildProcess, fork } from "node:child_process";

/** Runs one of these TypeScript files in a separate process. */
export function startChild(file: URL, args: readonly string[]): ChildProcess {
  return fork(file, args, { execArgv: ["--import", "tsx"] });
}

/** The child's next message. Rejects if it exits before. */
export function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null) => reject(new Error(`a child process ended with code ${code}`));
    child.once("exit", gone);
    child.once("message", (message) => {
      child.off("exit", gone);
      resolve(message as T);
    });
  });
}
