/** The systemd unit of the gateway, as text. */
import { RESTART_EXIT_CODE } from "../../restart.js";

export type Scope = "user" | "system";

export interface UnitOptions {
  scope: Scope;
  /** Absolute paths, because systemd doesn't use our PATH. */
  node: string;
  hermes: string;
  home: string;
  /** The user to run as, for system units. */
  user?: string;
}

/** Marks the file as ours, so that no other unit is replaced or removed. */
export const MARK = "# Written by `hermes gateway install`.";
export const UNIT_NAME = "hermes-gateway.service";

/** Watchdog interval: systemd restarts a gateway that is silent for this long. */
const WATCHDOG_SECONDS = 90;
/** Running turns get time to finish. */
const STOP_SECONDS = 60;

export function unitFile(options: UnitOptions): string {
  const { scope, node, hermes, home, user } = options;
  return `${[
    MARK,
    ...section("Unit", {
      Description: "Hermes Gateway: one agent on every chat",
      ...(scope === "system" ? { Wants: "network-online.target", After: "network-online.target" } : {}),
      // Gives up after ten failures in five minutes.
      StartLimitIntervalSec: "300",
      StartLimitBurst: "10",
    }),
    ...section("Service", {
      Type: "notify",
      NotifyAccess: "all",
      ExecStart: [node, hermes, "gateway"].map(quoted).join(" "),
      Environment: quoted(`HERMES_HOME=${home}`),
      ...(user ? { User: user } : {}),
      Restart: "always",
      RestartSec: "2",
      // A restart that the operator asked for in the dashboard.
      SuccessExitStatus: String(RESTART_EXIT_CODE),
      WatchdogSec: String(WATCHDOG_SECONDS),
      TimeoutStartSec: "infinity",
      TimeoutStopSec: String(STOP_SECONDS),
      KillMode: "mixed",
      LimitNOFILE: "65536",
      UMask: "0077",
      ...EVERYWHERE,
      ...(scope === "system" ? { ...SYSTEM_ONLY, ReadWritePaths: quoted(home) } : {}),
    }),
    ...section("Install", { WantedBy: scope === "system" ? "multi-user.target" : "default.target" }),
  ].join("\n")}\n`;
}

/** Hardening that user units support too. The JIT needs writable and executable memory, so that stays allowed. */
const EVERYWHERE = {
  NoNewPrivileges: "yes",
  LockPersonality: "yes",
  RestrictRealtime: "yes",
  RestrictSUIDSGID: "yes",
  RestrictAddressFamilies: "AF_UNIX AF_INET AF_INET6 AF_NETLINK",
  SystemCallArchitectures: "native",
};

const SYSTEM_ONLY = {
  CapabilityBoundingSet: "",
  PrivateDevices: "yes",
  PrivateTmp: "yes",
  ProtectClock: "yes",
  ProtectControlGroups: "yes",
  ProtectHome: "read-only",
  ProtectHostname: "yes",
  ProtectKernelLogs: "yes",
  ProtectKernelModules: "yes",
  ProtectKernelTunables: "yes",
  ProtectProc: "invisible",
  ProtectSystem: "strict",
  RemoveIPC: "yes",
  RestrictNamespaces: "yes",
  SystemCallFilter: "@system-service",
};

function section(name: string, keys: Readonly<Record<string, string>>): string[] {
  return ["", `[${name}]`, ...Object.entries(keys).map(([key, value]) => `${key}=${value}`)];
}

/** systemd reads `%` as a specifier, `$` as a variable and blanks as the end of a word. */
function quoted(text: string): string {
  const plain = text.replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /[\s"'\\]/.test(plain) ? `"${plain.replace(/["\\]/g, "\\$&")}"` : plain;
}
