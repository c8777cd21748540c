import { spawnSync } from "node:child_process";

/**
 * Threads and processes that tests start run the compiled program, as users do: compile it first. Type errors are
 * `npm run build`'s to stop at; the code comes out all the same.
 */
export default function build(): void {
  spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
}
