/** Acknowledgements through Bolt's real App, over both transports. */
import fs from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Delivery } from "../../emulators/slack/index.js";
import { type Setup, setup } from "./support.js";

const LICENSES = new URL("../../../dist/chunks/LICENSES.txt", import.meta.url);
const SECRET = "emulated-signing-secret";

let b: Setup;
afterEach(() => b.close());

describe.each(["Socket Mode", "HTTP"])("Slack acknowledgements over %s", (transport) => {
  beforeEach(async () => {
    // Without catch-up, only redeliveries can bring an event again.
    const catchUpMaxAgeSeconds = 0;
    if (transport === "Socket Mode") {
      b = await setup({ adapter: { catchUpMaxAgeSeconds } });
      return;
    }
    b = await setup({ adapter: { catchUpMaxAgeSeconds, appToken: undefined, signingSecret: SECRET } });
    b.slack.postEventsTo((request) => b.adapter.handleRequest(request));
  });

  /** Makes storing wait, or fail for the first `failures` times. Returns the deliveries' states at each attempt. */
  function gate(failures: number): string[] {
    const states: string[] = [];
    b.inbox.gate = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      states.push(b.slack.deliveries.all[0]!.state);
      if (states.length <= failures) throw new Error("disk full");
    };
    return states;
  }

  const settled = ({ state }: Delivery) => state === "acked" || state === "gave_up";

  it("acknowledges an event after it is stored", async () => {
    const states = gate(0);
    const stored: number[] = [];
    const acknowledge = b.slack.deliveries.acknowledge.bind(b.slack.deliveries);
    b.slack.deliveries.acknowledge = (...args) => {
      stored.push(b.inbox.received.length);
      acknowledge(...args);
    };
    b.slack.say({ channel: "D1", user: "U1", text: "hello" });
    await b.slack.until(() => settled(b.slack.deliveries.all[0]!));
    expect(states).toEqual(["flying"]);
    expect(stored).toEqual([1]);
  });

  it("doesn't acknowledge an event that isn't stored, and accepts its redelivery once", async () => {
    const states = gate(2);
    b.slack.say({ channel: "D1", user: "U1", text: "hello" });
    const [delivery] = b.slack.deliveries.all;
    await b.slack.until(() => settled(delivery!));
    expect(delivery).toMatchObject({ state: "acked", attempts: 3 });
    expect(states).toEqual(["flying", "flying", "flying"]);
    expect(b.inbox.texts).toEqual(["hello"]);
    expect(b.log).toContainEqual(expect.stringMatching(/^warn: .*could not be stored.*disk full/));
  });

  it("acknowledges a slash command after it is stored", async () => {
    const states = gate(0);
    const command = b.slack.command("D1", "U1", "/hermes", "status");
    await b.slack.until(() => settled(command));
    expect([command.state, ...states]).toEqual(["acked", "flying"]);
    expect(b.inbox.texts).toEqual(["/status"]);
  });

  it("doesn't acknowledge a slash command that isn't stored", async () => {
    gate(1);
    const command = b.slack.command("D1", "U1", "/hermes", "status");
    await b.slack.until(() => settled(command));
    expect(command.state).toBe("gave_up");
    expect(b.inbox.texts).toEqual([]);
  });

  it("acknowledges edits and deletes", async () => {
    const { ts } = b.slack.say({ channel: "D1", user: "U1", text: "hello" });
    b.slack.edit("D1", ts, "hello again");
    b.slack.delete("D1", ts);
    await b.slack.until(() => b.slack.deliveries.all.every(settled));
    expect(b.slack.deliveries.all.map(({ state }) => state)).toEqual(["acked", "acked", "acked"]);
    expect(b.inbox.edits).toMatchObject([{ messageId: ts, text: "hello again" }]);
    expect(b.inbox.deletes).toMatchObject([{ messageId: ts }]);
  });

  it.each([
    ["an event of an unknown type", "events_api", { event: { type: "hologram_shared" } }],
    ["an event that Bolt can't read", "events_api", { event: "text" }],
    ["an interaction", "interactive", { type: "block_actions", actions: [{}], user: { id: "U1" } }],
    ["an interaction that Bolt can't read", "interactive", { type: "block_actions", actions: [{}] }],
    [
      "our own message",
      "events_api",
      { event: { type: "message", user: "U0BOT", channel: "D1", ts: "1.1" } },
    ],
  ] as const)("acknowledges %s without storing it", async (_, type, payload) => {
    const delivery = b.slack.deliveries.submit(type, payload);
    await b.slack.until(() => settled(delivery));
    expect(delivery).toMatchObject({ state: "acked", attempts: 1 });
    expect(b.inbox.received).toEqual([]);
  });

  it("logs nothing to the console", async () => {
    const calls = (["debug", "info", "log", "warn", "error"] as const).map((level) =>
      vi.spyOn(console, level),
    );
    gate(1);
    b.slack.say({ channel: "D1", user: "U1", text: "hello" });
    await b.slack.until(() => settled(b.slack.deliveries.all[0]!));
    for (const call of calls) expect(call).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

describe("Bolt in the bundle", () => {
  it("comes without express", async () => {
    b = await setup({ idle: true });
    const packages = fs.readFileSync(LICENSES, "utf8");
    expect(packages).toMatch(/^@slack\/bolt 5\./m);
    expect(packages).not.toMatch(/^express /m);
  });
});
