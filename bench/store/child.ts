import { type ChildProcess, fork } from "node:child_process";

/** A process of its own that runs one of the TypeScript files here. */
export function startChild(file: URL, args: readonly string[]): ChildProcess {
  return fork(file, args, { execArgv: ["--import", "tsx"] });
}

/** The next thing it says; a child that ends without a word is an error. */
export function hear<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null) => reject(new Error(`a child process ended with code ${code}`));
    child.once("exit", gone);
    child.once("message", (message) => {
      child.off("exit", gone);
      resolve(message as T);
    });
  });
}
