import { describe, expect, it } from "vitest";
import { hermesJson, runHermes, temporaryFolder } from "../cli/support/run.js";
import { Daemon } from "../support/daemon.js";

describe("a gateway that wasn't installed as a service", () => {
  it("is stopped from another terminal, and its log tells so", async () => {
    const daemon = await new Daemon().start();
    expect(await hermesJson(daemon.home, "gateway", "stop")).toMatchObject({ stopped: true });
    expect(await daemon.run.ended).toMatchObject({ code: 0 });
    const { stdout } = await runHermes(daemon.home, ["gateway", "logs"]);
    expect(stdout).toMatch(/gateway started[\s\S]*gateway stopped/);
  });

  it("isn't restarted: the error says what to do", async () => {
    const daemon = await new Daemon().start();
    const { code, stderr } = await runHermes(daemon.home, ["gateway", "restart"]);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("hermes gateway stop"),
    });
    await daemon.stop();
  });
});

it("stopping is no failure where none runs", async () => {
  expect(await hermesJson(temporaryFolder(), "gateway", "stop")).toEqual({ stopped: false });
});
