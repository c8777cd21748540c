import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Notifies systemd that the gateway is up, healthy or stopping. Does nothing under another supervisor.
 * Uses systemd's own program, because Node has no UNIX datagram sockets.
 */
export interface Notifier {
  ready(): Promise<void>;
  stopping(): Promise<void>;
}

export interface NotifyOptions {
  env: NodeJS.ProcessEnv;
  /** Checked before each keep-alive; without one for too long, systemd restarts the gateway. */
  isWell: () => Promise<boolean>;
  onError: (error: unknown) => void;
}

const run = promisify(execFile);
const TIMEOUT_MS = 10_000;

export function systemdNotifier({ env, isWell, onError }: NotifyOptions): Notifier {
  if (!env.NOTIFY_SOCKET) return { ready: async () => undefined, stopping: async () => undefined };
  const tell = (...words: string[]) =>
    run("systemd-notify", [`--pid=${process.pid}`, ...words], { timeout: TIMEOUT_MS, env }).then(
      () => undefined,
      onError,
    );
  let timer: NodeJS.Timeout | undefined;
  const everyMs = Number(env.WATCHDOG_USEC ?? 0) / 1000 / 3;
  const sign = async () => {
    try {
      if (await isWell()) await tell("WATCHDOG=1");
    } catch (error) {
      onError(error);
    }
  };
  return {
    ready: async () => {
      await tell("--ready");
      if (everyMs > 0) timer = setInterval(() => void sign(), everyMs).unref();
    },
    stopping: async () => {
      clearInterval(timer);
      await tell("STOPPING=1");
    },
  };
}
