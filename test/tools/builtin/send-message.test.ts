import { describe, expect, it } from "vitest";
import { knownTargetsOf } from "../../../src/rules.js";
import { sendMessageTool } from "../../../src/tools/builtin/send-message.js";
import { TestGateway } from "../../support/gateway.js";
import { inDm, inGroup } from "../../support/test-adapter.js";
import { inRoom, toolCall, use } from "../../support/tool-call.js";

const ann = inDm("ann");
const bob = inDm("bob");
const both = {
  config: { owners: ["test:olga"], group_sessions_per_user: false },
  platform: { enabled: true },
};
const PRINCIPAL = { platform: "test", userId: "ann" };
const OWNER = { platform: "test", userId: "olga", owner: true };

/** Ann and Bob have direct chats; both are in "ops", only Bob in "board". */
async function setUp() {
  const gateway = await TestGateway.start(both);
  for (const person of [ann, bob, inGroup("ann", "ops"), inGroup("bob", "ops"), inGroup("bob", "board")])
    await gateway.ask(person, "hello");
  const tool = sendMessageTool({ store: gateway.store, targets: knownTargetsOf(gateway.config) });
  const target = { ...toolCall({ principal: PRINCIPAL }).target, chatId: ann.chatId };
  const send = (to: string, given: Parameters<typeof use>[2] = {}) =>
    use(tool, { target: to, message: "hi there" }, { principal: PRINCIPAL, target, ...given });
  return { gateway, tool, send, target };
}

describe("a message", () => {
  it("goes through the outbox, once for the same call", async () => {
    const { gateway, send } = await setUp();
    const before = gateway.adapter.to(ann).length;
    const given = { idempotencyKey: "call-1" };
    const first = await send("origin", given);
    expect(first).toMatchObject({ success: true, target: `test:${ann.chatId}` });
    expect(await send("origin", given)).toEqual(first);
    await gateway.idle();
    expect(
      gateway.adapter
        .to(ann)
        .slice(before)
        .map(({ text }) => text),
    ).toEqual(["hi there"]);
  });

  it("goes to the person's own chats and rooms they took part in, and to no others", async () => {
    const { gateway, send } = await setUp();
    expect(await send(`test:${ann.chatId}`)).toMatchObject({ success: true });
    expect(await send("test:ops")).toMatchObject({ success: true });
    for (const other of [`test:${bob.chatId}`, "test:board", "test:unknown"])
      expect(await send(other)).toMatchObject({ success: false });
    await gateway.idle();
    const places = gateway.adapter.sent.flatMap(({ text, target }) =>
      text === "hi there" ? [target.chatId] : [],
    );
    expect(places.toSorted()).toEqual([ann.chatId, "ops"].toSorted());
  });

  it("of an owner goes anywhere", async () => {
    const { gateway, send } = await setUp();
    expect(await send(`test:${bob.chatId}`, { principal: OWNER })).toMatchObject({ success: true });
    expect(await send("test:board", { principal: OWNER })).toMatchObject({ success: true });
    await gateway.idle();
    expect(gateway.adapter.to(bob).at(-1)?.text).toBe("hi there");
  });

  it("is rejected if the text is missing or too long", async () => {
    const { tool, send } = await setUp();
    expect(await use(tool, { target: "origin" })).toMatchObject({ error: "message is missing." });
    expect(await use(tool, { message: "x".repeat(20_001) })).toMatchObject({ success: false });
    expect(await send("local")).toMatchObject({ error: "target must be a chat." });
    expect(await send("elsewhere:1")).toMatchObject({ success: false });
  });
});

describe("the list", () => {
  const targets = (found: Record<string, unknown>) =>
    (found.targets as { target: string }[]).map(({ target }) => target).toSorted();

  it("has only chats that the person may write to", async () => {
    const { tool, target } = await setUp();
    const list = (given: Parameters<typeof use>[2]) => use(tool, { action: "list" }, { target, ...given });
    expect(targets(await list({ principal: PRINCIPAL }))).toEqual(
      [`test:${ann.chatId}`, "test:ops"].toSorted(),
    );
    expect(targets(await list({ principal: OWNER }))).toHaveLength(4);
  });

  it("has only the room itself in a room, even for owners", async () => {
    const { tool } = await setUp();
    const room = inRoom({ platform: "test", chatId: "ops" });
    expect(targets(await use(tool, { action: "list" }, { principal: OWNER, ...room }))).toEqual(["test:ops"]);
    const unknown = await use(
      tool,
      { target: "test:nowhere at all", message: "x" },
      { principal: OWNER, ...room },
    );
    expect(JSON.stringify(unknown)).not.toContain("board");
  });
});
