import { describe, expect, it } from "vitest";
import { NOW, openChat, openWorld } from "./chat.js";

const HOUR = 3600;

describe("/status", () => {
  it("shows the session, its usage and the running turn", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    const { id } = await chat.say("hello");
    await chat.ask("/title Rome");
    await world.store.addUsage(id, { input_tokens: 12_000, output_tokens: 345 });
    world.routes.get(chat.key)!.lastPromptTokens = 32_000;
    Object.assign(world.activity, { running: true, waiting: 1 });
    expect((await openChat(world, { user: "ann", now: NOW + 3 * HOUR }).ask("/status")).split("\n")).toEqual([
      `- Session: \`${id}\``,
      "- Title: `Rome`",
      "- Started: 2026-06-16 21:00 (Europe/Berlin), 3 h ago",
      "- Messages: 2",
      "- Model: `echo`",
      "- Context: 32,000 of 128,000 tokens (25 %)",
      "- Tokens: 12,000 in, 345 out",
      "- Now: answering, 1 message waiting",
      "- Next reset: daily at 2026-06-17 04:00 (Europe/Berlin), in 4 h",
    ]);
  });

  it.each([
    ["daily", "daily at 2026-06-17 04:00 (Europe/Berlin), in 7 h"],
    ["idle", "idle at 2026-06-16 23:00 (Europe/Berlin), in 2 h without new messages"],
    ["both", "idle at 2026-06-16 23:00 (Europe/Berlin), in 2 h without new messages"],
    ["none", "no automatic reset"],
  ])("with the policy %s tells the next reset", async (mode, text) => {
    const chat = openChat(await openWorld({ session_reset: { mode, idle_minutes: 120 } }), { user: "ann" });
    await chat.say("hello");
    expect((await chat.ask("/status")).split("\n").at(-1)).toBe(`- Next reset: ${text}`);
  });

  it("shows a reset that is due", async () => {
    const world = await openWorld({ session_reset: { mode: "idle", idle_minutes: 60 } });
    await openChat(world, { user: "ann" }).say("hello");
    const later = openChat(world, { user: "ann", now: NOW + 2 * HOUR });
    expect(await later.ask("/status")).toContain(
      "Next reset: idle, due: the next message starts a new session",
    );
  });

  it("shows the rest if there is no session, or after a reset", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    expect(await chat.ask("/status")).toBe(
      "There is no session here yet: write something to start one.\n\n- Model: `echo`\n- Now: idle",
    );
    await chat.say("hello");
    world.routes.get(chat.key)!.expiredReason = "idle";
    expect(await chat.ask("/status")).toContain("The last session ended (idle)");
  });
});

describe("/usage", () => {
  it("shows only this session if it continues none", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    const { id } = await chat.say("hello");
    await world.store.addUsage(id, { input_tokens: 1000, output_tokens: 20, api_call_count: 1 });
    const reply = await chat.ask("/usage");
    expect(reply).toContain("Tokens: 1,000 in, 20 out");
    expect(reply).toContain("Cost: unknown");
    expect(reply).not.toContain("Whole conversation");
  });

  it("sums up the sessions it continues, with actual cost if known", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    for (const text of ["one", "two"]) await chat.say(text);
    await world.store.addUsage((await chat.session())!.id, {
      input_tokens: 100,
      estimated_cost_usd: 9,
      actual_cost_usd: 2,
    });
    await chat.ask("/compress");
    await world.store.addUsage((await chat.session())!.id, { input_tokens: 20, estimated_cost_usd: 0.5 });
    const reply = await chat.ask("/usage");
    expect(reply).toMatch(/\*\*This session\*\*\n\n- Tokens: 20 in[\s\S]*Cost: \$0\.5000/);
    expect(reply).toMatch(
      /\*\*Whole conversation \(2 sessions\)\*\*\n\n- Tokens: 120 in[\s\S]*Cost: \$2\.50/,
    );
  });

  it("excludes the original of a branch", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    await world.store.addUsage((await chat.say("one")).id, { input_tokens: 100 });
    await chat.ask("/branch");
    expect(await chat.ask("/usage")).toContain("Tokens: 0 in");
  });
});

describe("/insights", () => {
  it("is only for owners", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    expect(await chat.ask("/insights")).toContain("only owners");
  });

  it.each(["", " 7", " --days 7", " --days=7 --source web", " —days 7"])("understands %j", async (args) => {
    const world = await openWorld();
    await world.store.createSession({ id: "s", source: "web", user_id: "ann", title: "Secret" });
    await world.store.appendMessages("s", [{ role: "user", content: "hi" }]);
    const reply = await openChat(world, { user: "olga", owner: true }).ask(`/insights${args}`);
    expect(reply).toContain(args === "" ? "**Last 30 days**" : "**Last 7 days**");
    expect(reply).toContain("Sessions: 1, messages: 1 (1 by people)");
    expect(reply).not.toContain("Secret");
  });

  it.each(["x", "0", "-1", "1 2", "--weeks 2", "99999"])("shows the usage for %j", async (args) => {
    const chat = openChat(await openWorld(), { user: "olga", owner: true });
    expect(await chat.ask(`/insights ${args}`)).toContain("For example");
  });

  it("shows nothing for another source", async () => {
    const world = await openWorld();
    await world.store.createSession({ source: "web" });
    const owner = openChat(world, { user: "olga", owner: true });
    expect(await owner.ask("/insights --source cli --days 1")).toBe("No sessions in the last 1 day.");
  });
});

describe("/model", () => {
  it("shows, sets and resets the model of one chat", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    expect(await chat.ask("/model")).toContain("This chat uses `echo`.");
    expect(await chat.ask("/model vendor/big-1")).toBe(
      "This chat now uses `vendor/big-1`, from the next turn on.",
    );
    expect(await openChat(world, { user: "bob" }).ask("/model")).toContain("`echo`");
    expect(await chat.ask("/model default")).toBe("Back to the default model `echo`, from the next turn on.");
  });

  it("rejects names with spaces", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    expect(await chat.ask("/model the big one")).toContain("no spaces");
    expect(await chat.ask("/model")).toContain("`echo`");
  });
});

describe("/whoami", () => {
  it.each([
    [{ user: "ann" }, "may use every command here"],
    [{ user: "ann", isAdmin: false }, "may use some commands here"],
    [{ user: "ann", owner: true }, "owner"],
  ])("%o", async (place, role) => {
    const chat = openChat(await openWorld(), place);
    const reply = await chat.ask("/whoami");
    for (const fact of ["`web`", "`ann`", role, `\`${chat.key}\``]) expect(reply).toContain(fact);
  });
});

it("/start only greets", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  const outcome = await chat.run("/start");
  expect(outcome.reply).toContain("/help");
  expect(outcome.turn).toBeUndefined();
  expect(await chat.session()).toBeUndefined();
});
