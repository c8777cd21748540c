import { describe, expect, it } from "vitest";
import { Events } from "../src/events.js";

describe("watchers", () => {
  it("can't disturb each other or the emitter, and report errors once", async () => {
    const reported: string[] = [];
    const events = new Events((error, watcher) => reported.push(`${watcher}: ${(error as Error).message}`));
    const seen: string[] = [];
    events.watch("broken", () => {
      throw new Error("no");
    });
    events.watch("broken later", async () => {
      throw new Error("not either");
    });
    const stop = events.watch("fine", ({ type, at }) => at > 0 && seen.push(type));
    events.emit({ type: "gateway-stopping" });
    events.emit({ type: "gateway-stopping" });
    stop();
    events.emit({ type: "gateway-stopping" });
    await Promise.resolve();
    expect(seen).toEqual(["gateway-stopping", "gateway-stopping"]);
    expect(reported).toEqual(["broken: no", "broken later: not either"]);
  });
});
