import { describe, expect, it } from "vitest";
import { plain, TestGateway } from "../support/gateway.js";
import { inDm, inGroup, TestAdapter } from "../support/test-adapter.js";

const ann = inDm("ann");

describe("two bots of one platform", () => {
  const texts = (bot: TestAdapter, place = ann) => bot.to(place).map(({ text }) => plain(text));

  it("have separate conversations with the same person", async () => {
    const second = new TestAdapter({ account: "second" });
    const gateway = await TestGateway.start({ bots: [second] });
    await gateway.say(ann, "to the first");
    await second.say(ann, "to the second");
    await gateway.idle();
    expect([texts(gateway.adapter), texts(second)]).toEqual([["to the first"], ["to the second"]]);
    const { key } = gateway.read<{ key: string }>(
      "SELECT session_key AS key FROM gw_routes ORDER BY length(session_key)",
    )[0]!;
    expect(key).toBe(gateway.keyOf(ann));
    await second.say(ann, "/new");
    await gateway.idle();
    expect(await gateway.session(ann)).toMatchObject({ message_count: 2, ended_at: null });
  });

  it("each answer a message that both received, once", async () => {
    const second = new TestAdapter({ account: "second", burstMs: 50 });
    const gateway = await TestGateway.start({ bots: [second], burstMs: 50 });
    const place = inGroup("ann");
    await Promise.all([gateway.say(place, "hello, both"), second.say(place, "hello, both")]);
    await gateway.idle();
    expect([texts(gateway.adapter, place), texts(second, place)]).toEqual([["hello, both"], ["hello, both"]]);
  });

  it.each([true, false])(
    "continue in a group that gets another id, sessions per user: %s",
    async (perUser) => {
      const second = new TestAdapter({ account: "second" });
      const gateway = await TestGateway.start({
        bots: [second],
        config: { group_sessions_per_user: perUser },
      });
      for (const bot of [gateway.adapter, second]) await bot.say(inGroup("ann", "small"), "before");
      await gateway.idle();
      await gateway.store.moveChat("test", "small", "large");
      for (const bot of [gateway.adapter, second]) await bot.say(inGroup("ann", "large"), "after");
      await gateway.idle();
      expect(gateway.read("SELECT message_count AS n FROM sessions")).toEqual([{ n: 4 }, { n: 4 }]);
    },
  );

  it("continue their conversations after a restart", async () => {
    const gateway = await TestGateway.start({ bots: [new TestAdapter({ account: "second" })] });
    await gateway.say(ann, "one");
    await gateway.idle();
    const second = new TestAdapter({ account: "second" });
    const next = await gateway.restart({ bots: [second] });
    await next.say(ann, "two");
    await second.say(ann, "other");
    await next.idle();
    await second.say(ann, "another");
    await next.idle();
    expect((await next.session(ann)).message_count).toBe(4);
    expect(next.read("SELECT session_key FROM gw_routes")).toHaveLength(2);
  });
});
