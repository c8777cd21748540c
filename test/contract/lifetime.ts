import { describe, expect, it } from "vitest";
import { HermesError } from "../../src/errors.js";
import { until } from "../support/until.js";
import { connected, open, type Platform, type Scene } from "./stage.js";
import { expectNoSecret, expectTellable, needing } from "./tell.js";

export function lifetime(platform: Platform): void {
  health(platform);
  ending(platform);
}

function health(platform: Platform): void {
  describe("health", () => {
    it("is down before the first connect, without a proof of life", async () => {
      const { adapter } = await open(platform);
      expect(adapter.health()).toMatchObject({ state: "down", lastProofAt: null });
    });

    it("gets new proofs of life", async () => {
      const { adapter } = await connected(platform, { hasty: true });
      const first = adapter.health();
      expect(first.state).toBe("ok");
      await until("it is proved again", () => adapter.health().lastProofAt! > first.lastProofAt!);
    });

    needing(platform, "proof")("isn't ok when the platform is silent on an open connection", async () => {
      const { adapter, stage, inbox, dm } = await connected(platform, { hasty: true });
      stage.fallSilent();
      await until("it is noticed", () => adapter.health().state !== "ok");
      expectTellable(adapter.health().detail, stage.secrets);
      const { lastProofAt } = adapter.health();
      stage.speakAgain();
      await until("it is well again", () => adapter.health().state === "ok");
      expect(adapter.health().lastProofAt).toBeGreaterThan(lastProofAt!);
      dm.say("hello");
      await inbox.message("hello");
    });

    needing(platform, "network")("reports an outage, and nothing is lost", async () => {
      const { adapter, stage, inbox, dm } = await connected(platform);
      dm.say("before");
      await inbox.message("before");
      await stage.goDown();
      await until("it is noticed", () => adapter.health().state !== "ok");
      expectTellable(adapter.health().detail, stage.secrets);
      dm.say("in the outage");
      await stage.comeBack();
      await inbox.message("in the outage");
      await until("it is well again", () => adapter.health().state === "ok");
      expectNoSecret(stage.log.join("\n"), stage.secrets);
    });

    needing(platform, "network")(
      "isn't ok when the platform is unreachable at the start, and recovers later",
      async () => {
        const { adapter, stage, inbox, stop, dm } = await open(platform, { hasty: true });
        await stage.goDown();
        await adapter.connect(inbox, stop.signal);
        expect(adapter.health().state).not.toBe("ok");
        await stage.comeBack();
        await until("it is well", () => adapter.health().state === "ok");
        dm.say("hello");
        await inbox.message("hello");
      },
    );

    needing(platform, "credentials")("reports a revoked token in one line", async () => {
      const { adapter, stage } = await connected(platform, { hasty: true });
      stage.revokeToken();
      await stage.goDown();
      await stage.comeBack();
      await until("it is reported", () => adapter.health().state === "down");
      expectTellable(adapter.health().detail, stage.secrets);
      expect(stage.log.filter((line) => line.startsWith("error"))).toHaveLength(1);
      expectNoSecret(stage.log.join("\n"), stage.secrets);
    });

    needing(platform, "credentials")(
      "and the error of `connect` explain how to fix a wrong token",
      async () => {
        const { adapter, stage, inbox, stop } = await open(platform);
        stage.revokeToken();
        const error = await adapter.connect(inbox, stop.signal).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(HermesError);
        const { message, hint } = error as HermesError;
        expectTellable(`${message} ${hint ?? ""}`, stage.secrets);
        expect(adapter.health().state).toBe("down");
        expectTellable(adapter.health().detail, stage.secrets);
        await noListeners({ stage });
      },
    );
  });
}

function ending(platform: Platform): void {
  const ways: [string, (scene: Scene) => unknown][] = [
    ["a disconnect", ({ adapter }) => adapter.disconnect()],
    ["the gateway's signal", ({ stop }) => stop.abort()],
  ];

  describe.each(ways)("after %s", (_, end) => {
    it("no connection is left, and nothing is received", async () => {
      const scene = await connected(platform);
      const { adapter, inbox, dm } = scene;
      dm.say("before");
      await inbox.message("before");
      await end(scene);
      await until("it is down", () => adapter.health().state === "down");
      await noListeners(scene);
      const offered = inbox.offered.length;
      dm.say("later");
      await adapter.disconnect();
      expect(inbox.offered).toHaveLength(offered);
      expect(adapter.health().state).toBe("down");
    });

    needing(platform, "slow start")("in the middle of connecting, no connection is left", async () => {
      const scene = await open(platform);
      const { adapter, inbox, stage, stop, dm } = scene;
      stage.startSlowly();
      const connecting = adapter.connect(inbox, stop.signal);
      await until("it has begun", () => stage.requests() > 0);
      await end(scene);
      await connecting;
      await until("it is down", () => adapter.health().state === "down");
      await noListeners(scene);
      dm.say("later");
      await adapter.disconnect();
      expect(inbox.offered).toEqual([]);
    });

    it("before the first step of a connect, no connection is left", async () => {
      const scene = await open(platform);
      const { adapter, inbox, stop, dm } = scene;
      const connecting = adapter.connect(inbox, stop.signal);
      await end(scene);
      await connecting;
      await until("it is down", () => adapter.health().state === "down");
      await noListeners(scene);
      dm.say("later");
      await adapter.disconnect();
      expect(inbox.offered).toEqual([]);
    });

    it("it can connect again", async () => {
      const scene = await connected(platform);
      const { adapter, inbox, dm } = scene;
      await end(scene);
      await adapter.disconnect();
      await adapter.connect(inbox, new AbortController().signal);
      dm.say("hello again");
      await inbox.message("hello again");
      expect(adapter.health().state).toBe("ok");
    });
  });

  describe("a disconnect", () => {
    it("may come before a connect, twice, and at the same time", async () => {
      const { adapter, inbox, stop } = await open(platform);
      await adapter.disconnect();
      await adapter.connect(inbox, stop.signal);
      await Promise.all([adapter.disconnect(), adapter.disconnect()]);
      await adapter.disconnect();
      expect(adapter.health().state).toBe("down");
    });

    it("doesn't wait for a stuck inbox", async () => {
      const scene = await connected(platform);
      const { adapter, inbox, dm } = scene;
      inbox.hold();
      dm.say("hello");
      await until("it is offered", () => inbox.offered.length > 0);
      await adapter.disconnect();
      expect(adapter.health().state).toBe("down");
      inbox.letIn();
      await noListeners(scene);
    });
  });

  it("does nothing if the gateway is already stopping", async () => {
    const { adapter, stage, inbox } = await open(platform);
    await adapter.connect(inbox, AbortSignal.abort());
    expect(stage.requests()).toBe(0);
    expect(await stage.listeners()).toBe(0);
    expect(adapter.health().state).toBe("down");
  });
}

async function noListeners({ stage }: Pick<Scene, "stage">): Promise<void> {
  await until("no connection is left", async () => (await stage.listeners()) === 0, {
    found: () => stage.listeners(),
  });
}
