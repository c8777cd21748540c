import { describe, expect, it } from "vitest";
import { hermesJson, runHermes, temporaryFolder } from "../cli/support/run.js";
import { Daemon } from "../support/daemon.js";
import { Browser } from "../support/web-chat.js";

describe("a gateway that wasn't installed as a service", () => {
  it("can be stopped from another terminal, and logs it", async () => {
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

it("stopping succeeds if no gateway is running", async () => {
  expect(await hermesJson(temporaryFolder(), "gateway", "stop")).toEqual({ stopped: false });
});

describe("hermes dashboard", () => {
  it("prints a link that signs the operator in, once", async () => {
    const daemon = await new Daemon().start();
    const { url, link } = await hermesJson<{ url: string; link: string }>(daemon.home, "dashboard");
    expect(url).toBe(`${daemon.url}/dashboard`);
    expect(new URL(link).searchParams.get("next")).toBe("/dashboard");
    const login = { code: new URL(link).hash.slice(1) };
    const owner = new Browser(daemon.url);
    expect((await owner.ask("POST", "login/link", login)).body).toMatchObject({ person: { owner: true } });
    expect((await new Browser(daemon.url).ask("POST", "login/link", login)).status).toBe(403);
    const { stdout } = await runHermes(daemon.home, ["dashboard"]);
    expect(stdout).toMatch(/Dashboard +http:\S+\/dashboard\nSign in +http:\S+#[\w-]{32}/);
  });

  it("shows which token to use if the web chat is off, and how to start a gateway", async () => {
    const daemon = new Daemon({ yaml: "platforms: {web: {enabled: false}, console: {enabled: false}}\n" });
    const { code, stderr } = await runHermes(daemon.home, ["dashboard"]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("hermes gateway") });
    await daemon.start();
    const { stdout } = await runHermes(daemon.home, ["dashboard"]);
    expect(stdout).toContain("dashboard.token");
  });
});
