/** Whether something starts the gateway again when it ends, and what to do where nothing does. */

export interface Restart {
  /** What starts it again; null: nothing does, so `ask` isn't called. */
  supervisor: string | null;
  /** What a person runs instead; null: the program that embeds the gateway knows. */
  command: string | null;
  /** Stops the gateway in order and ends the process, so that it is started again. */
  ask(): void;
}

/** The exit code for it: supervisors that start a program again only after a failure do so, too. */
export const RESTART_EXIT_CODE = 75;

/** Set it where something restarts the gateway that can't be recognised: a container with a restart policy, runit, … */
export const SUPERVISED = "HERMES_SUPERVISED";

export interface ProcessFacts {
  env: Readonly<Record<string, string | undefined>>;
  pid: number;
  /** In a container: its name there, which is its id unless it was changed. */
  container: string | undefined;
}

/** systemd tells a service's process its own pid; shells inherit the variables of their terminal's service. */
export function supervisorOf({ env, pid }: Pick<ProcessFacts, "env" | "pid">): string | null {
  if (env.SYSTEMD_EXEC_PID === String(pid) || env.NOTIFY_SOCKET) return "systemd";
  const named = env[SUPERVISED]?.trim();
  if (!named || /^(0|no|off|false)$/i.test(named)) return null;
  return /^(1|yes|on|true)$/i.test(named) ? "its supervisor" : named.slice(0, 50);
}

export function restartCommand({ container }: Pick<ProcessFacts, "container">): string {
  return container === undefined ? "hermes gateway stop && hermes gateway" : `docker restart ${container}`;
}

/** For programs that embed the gateway: they restart it themselves. */
export const NO_RESTART: Restart = {
  supervisor: null,
  command: null,
  ask: () => undefined,
};
