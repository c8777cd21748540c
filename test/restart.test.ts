import { expect, it } from "vitest";
import { restartCommand, supervisorOf } from "../src/restart.js";

it.each([
  [{}, null],
  // A shell in a terminal that systemd started has the terminal's variables.
  [{ INVOCATION_ID: "abc", SYSTEMD_EXEC_PID: "41" }, null],
  [{ SYSTEMD_EXEC_PID: "42" }, "systemd"],
  [{ NOTIFY_SOCKET: "/run/systemd/notify" }, "systemd"],
  [{ HERMES_SUPERVISED: "docker" }, "docker"],
  [{ HERMES_SUPERVISED: "1" }, "its supervisor"],
  [{ HERMES_SUPERVISED: "0" }, null],
  [{ HERMES_SUPERVISED: " " }, null],
] as const)("who starts the gateway again with %j: %s", (env, supervisor) => {
  expect(supervisorOf({ env, pid: 42 })).toBe(supervisor);
});

it("the command fits a container", () => {
  expect(restartCommand({ container: undefined })).toBe("hermes gateway stop && hermes gateway");
  expect(restartCommand({ container: "4f1d" })).toBe("docker restart 4f1d");
});
