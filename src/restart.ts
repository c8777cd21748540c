/** Finds out what restarts the gateway after it exits, and what to do if nothing does. */

export interface Restart {
  /** What restarts the gateway; null: nothing, so `ask` isn't called. */
  supervisor: string | null;
  /** The command that a person runs instead; null: a program embeds the gateway. */
  command: string | null;
  /** Stops the gateway and ends the process, so that it is restarted. */
  ask(): void;
}

/** The exit code of a restart. Not 0, because some supervisors restart a program only after a failure. */
export const RESTART_EXIT_CODE = 75;

/** Set this variable if the supervisor can't be detected: a container with a restart policy, runit, … */
export const SUPERVISED = "HERMES_SUPERVISED";

export interface ProcessFacts {
  env: Readonly<Record<string, string | undefined>>;
  pid: number;
  /** The container's host name, by default its id; undefined outside a container. */
  container: string | undefined;
}

/** systemd sets the variable to the service's pid. Shells may inherit it from their terminal's service. */
export function supervisorOf({ env, pid }: Pick<ProcessFacts, "env" | "pid">): string | null {
  if (env.SYSTEMD_EXEC_PID === String(pid) || env.NOTIFY_SOCKET) return "systemd";
  const value = env[SUPERVISED]?.trim();
  if (!value || /^(0|no|off|false)$/i.test(value)) return null;
  return /^(1|yes|on|true)$/i.test(value) ? "its supervisor" : value.slice(0, 50);
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
