import { execFileSync } from "node:child_process";

/** Threads and processes that tests start run the compiled program, as users do: compile it first. */
export default function build(): void {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
}
