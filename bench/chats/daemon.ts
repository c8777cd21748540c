import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../dist/cli/hermes.js", import.meta.url));
const LOOK_MS = 5;
const PATIENCE_MS = 60_000;

/** The built gateway in a separate process. */
export class Daemon {
  readonly #child: ChildProcess;
  readonly url: string;
  /** From process start to the first `/readyz` 200. */
  readonly readyMs: number;

  private constructor(child: ChildProcess, url: string, readyMs: number) {
    this.#child = child;
    this.url = url;
    this.readyMs = readyMs;
  }

  static async start(home: string, nodeFlags: readonly string[] = []): Promise<Daemon> {
    const url = `http://127.0.0.1:${await freePort()}`;
    const begin = performance.now();
    const child = spawn(process.execPath, [...nodeFlags, PROGRAM, "gateway"], {
      env: {
        ...process.env,
        HERMES_HOME: home,
        HERMES_HTTP_PORT: new URL(url).port,
        HERMES_LOG_LEVEL: "error",
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    while (!(await isReady(url))) {
      if (child.exitCode !== null || performance.now() - begin > PATIENCE_MS)
        throw new Error("The gateway did not start");
      await pause(LOOK_MS);
    }
    return new Daemon(child, url, performance.now() - begin);
  }

  rssMegabytes(): number {
    const status = fs.readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    await ended;
  }
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
  return answer?.status === 200;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
