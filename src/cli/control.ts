/** `hermes gateway stop|restart`: controls the service if installed, otherwise the process that runs on the home. */
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { resolveHome } from "../config/paths.js";
import { HermesError } from "../errors.js";
import type { GatewayInfo } from "../store/membership.js";
import { membershipOf } from "../store/open.js";
import { io } from "./io.js";
import { print, printJson } from "./output.js";
import { mainPid, systemctl, unitPath } from "./service/systemd.js";
import { type Scope, UNIT_NAME } from "./service/unit.js";

const POLL_MS = 100;

export interface StopOptions {
  /** Seconds. */
  timeout: number;
  json?: boolean;
}

export async function stop({ timeout, json }: StopOptions): Promise<void> {
  const home = resolveHome(io().env);
  const { running, info } = await membershipOf(home).state();
  if (!running) return report({ stopped: false }, `No gateway is running on ${home}.`, json);
  const { pid } = known(home, info);
  const scope = await serviceOf(pid);
  // Stop the service, because systemd would restart the process.
  if (scope) await systemctl(scope, "stop", UNIT_NAME);
  else signal(pid);
  await untilGone(home, pid, timeout);
  report(
    { stopped: true, pid },
    `Stopped the gateway (pid ${pid}). Pending messages are answered after the next start.`,
    json,
  );
}

export async function restart({ timeout, json }: StopOptions): Promise<void> {
  const home = resolveHome(io().env);
  const { running, info } = await membershipOf(home).state();
  const scope = running ? await serviceOf(known(home, info).pid) : installedScopes()[0];
  if (!scope) {
    throw new HermesError(
      "refused",
      `The gateway of ${home} isn't a service, so it can't be restarted from here.`,
      {
        hint: running
          ? "Stop it with `hermes gateway stop`, then start it again with `hermes gateway`; or install it with `hermes gateway install`."
          : "Start it with `hermes gateway`, or install it with `hermes gateway install`.",
      },
    );
  }
  await systemctl(scope, "restart", UNIT_NAME);
  const pid = await untilRunning(home, info?.pid, timeout);
  report({ restarted: true, pid }, `Restarted the gateway (pid ${pid}).`, json);
}

function known(home: string, info: GatewayInfo | undefined): GatewayInfo {
  if (info) return info;
  throw new HermesError("unavailable", `The gateway of ${home} is starting or stopping.`, {
    hint: "Try again in a moment; `hermes gateway status` shows its state.",
  });
}

/** Undefined if it was started by hand or by another supervisor. */
async function serviceOf(pid: number): Promise<Scope | undefined> {
  for (const scope of installedScopes()) if ((await mainPid(scope)) === pid) return scope;
  return undefined;
}

function installedScopes(): Scope[] {
  return (["user", "system"] as const).filter((scope) => existsSync(unitPath(scope)));
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It has ended in the meantime.
    if (code === "ESRCH") return;
    throw new HermesError("refused", `The gateway (pid ${pid}) belongs to another user.`, {
      hint: "Run the command as that user, or with sudo.",
      cause: error,
    });
  }
}

async function untilGone(home: string, pid: number, timeout: number): Promise<void> {
  const isGone = async () => {
    const { running, info } = await membershipOf(home).state();
    return !running || info?.pid !== pid;
  };
  if (await within(timeout, isGone)) return;
  throw new HermesError(
    "unavailable",
    `The gateway (pid ${pid}) is still running after ${timeout} seconds.`,
    {
      hint: `Running turns get time to finish. Wait longer with --timeout, or kill it: kill -9 ${pid}. No messages are lost either way.`,
    },
  );
}

async function untilRunning(home: string, before: number | undefined, timeout: number): Promise<number> {
  let pid: number | undefined;
  const isUp = async () => {
    const { running, info } = await membershipOf(home).state();
    pid = info?.pid;
    return running && info !== undefined && info.pid !== before && info.url !== null;
  };
  if (await within(timeout, isUp)) return pid!;
  throw new HermesError("unavailable", `The gateway isn't up after ${timeout} seconds.`, {
    hint: "See `hermes gateway logs`.",
  });
}

async function within(seconds: number, isDone: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + seconds * 1000;
  for (;;) {
    if (await isDone()) return true;
    if (performance.now() > until) return false;
    await pause(POLL_MS);
  }
}

function report(result: object, text: string, json = false): void {
  json ? printJson(result) : print(text);
}
