import { describe, expect, it } from "vitest";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";

const ann = inDm("ann");

/** The model's input in the next turn. */
async function conversationOf(gateway: TestGateway): Promise<string[]> {
  const {
    routes: [route],
  } = await gateway.store.listRoutes();
  const messages = await gateway.store.getConversation(route!.sessionId);
  return messages.map(({ role, content }) => `${role}: ${String(content).split("\n").at(-1)}`);
}

describe("the question of a failed turn", () => {
  it("stays in the session, so the next turn knows it", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "!fail network");
    await gateway.ask(ann, "and now?");
    expect(await conversationOf(gateway)).toEqual([
      "user: !fail network",
      "user: and now?",
      expect.stringMatching(/^assistant: .*and now\?/),
    ]);
  });

  it.each([
    ["content_filter", ""],
    ["context_length", "x".repeat(20_000)],
  ])("is replaced by a note if it would fail again (%s)", async (kind, words) => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, `!fail ${kind} ${words}`);
    const [kept, ...rest] = await conversationOf(gateway);
    expect(rest).toEqual([]);
    expect(kept).toMatch(/^user: \[A message of \d+ characters was .* and is left out\]$/);
  });

  it("stays if it was only the last message of a conversation that is too long", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "!fail context_length");
    expect(await conversationOf(gateway)).toEqual(["user: !fail context_length"]);
  });

  it("is stored once if it is asked again after a compression", async () => {
    const compression = { protect_first_n: 0, protect_last_n: 2 };
    const gateway = await TestGateway.start({ config: { compression } });
    for (let n = 1; n <= 4; n += 1) await gateway.ask(ann, `message ${n}`);
    await gateway.ask(ann, "!fail network");
    expect((await gateway.ask(ann, "/compress"))[0]).toContain("Summarised");
    await gateway.ask(ann, "/retry");
    const said = await conversationOf(gateway);
    expect(said.filter((line) => line === "user: !fail network")).toHaveLength(1);
  });

  it("is stored once if it is asked again", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "!fail network");
    await gateway.ask(ann, "/retry");
    await gateway.gateway.retryDead(["in:1"]);
    await gateway.idle();
    expect(await conversationOf(gateway)).toEqual(["user: !fail network"]);
  });

  it("isn't kept if the person stopped it", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "hello");
    await gateway.say(ann, "!slow 60");
    await gateway.say(ann, "/stop");
    await gateway.idle();
    expect(await conversationOf(gateway)).toHaveLength(2);
  });
});
