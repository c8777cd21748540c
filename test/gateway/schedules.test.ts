import { describe, expect, it } from "vitest";
import type { AgentBackend } from "../../src/agents/backend.js";
import { echoAgent } from "../../src/agents/echo.js";
import { knownTargetsOf } from "../../src/rules.js";
import { dueByClock, realign } from "../../src/schedules/due-runs.js";
import type { ScheduleRow } from "../../src/store/schedules.js";
import { plain, TestGateway, type TestGatewayOptions } from "../support/gateway.js";
import { inDm, inGroup } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const group = inGroup("ann", "ops");

const start = (options: TestGatewayOptions = {}) =>
  TestGateway.start({
    cron: true,
    ...options,
    config: { owners: ["test:ann"], ...options.config },
    platform: { enabled: true, home_channel: "ops", ...options.platform },
  });

/** Makes the schedules due, as of that many seconds ago. */
function makeDue(gateway: TestGateway, secondsAgo = 0): void {
  const at = Math.floor(Date.now() / 1000) - secondsAgo;
  gateway.change(
    "UPDATE gw_schedules SET next_at = ?, rule = json_set(rule, '$.from', ?) WHERE next_at IS NOT NULL",
    at,
    at,
  );
}

async function only(gateway: TestGateway): Promise<ScheduleRow> {
  const schedules = await gateway.store.listSchedules();
  expect(schedules).toHaveLength(1);
  return schedules[0]!;
}

const lastRun = (gateway: TestGateway, state: string) =>
  until(
    `the last run is ${state}`,
    async () => {
      const { lastRun: run } = await only(gateway);
      return run?.state === state && run;
    },
    { found: () => gateway.store.listSchedules() },
  );

describe("/cron", () => {
  it("is only for owners", async () => {
    const gateway = await start();
    expect(await gateway.ask(inDm("bob"), "/cron add every 30m hello")).toEqual([
      "Only owners can use schedules.",
    ]);
    expect(await gateway.store.listSchedules()).toEqual([]);
  });

  it("adds, lists, pauses, resumes and removes; answers go to the requesting chat", async () => {
    const gateway = await start();
    const [none] = await gateway.ask(ann, "/cron");
    expect(none).toContain("no schedules");
    const [added] = await gateway.ask(ann, '/cron add --name tea "every 1h" Drink some tea');
    expect(added).toMatch(/^⏰ `tea` `every 1h` → `test:dm-ann`, next 20/);
    expect(await only(gateway)).toMatchObject({
      prompt: "Drink some tea",
      target: { chatId: "dm-ann", replyTo: null },
      maker: { platform: "test", userId: "ann" },
    });
    expect((await gateway.ask(ann, "/cron add --name tea every 2h again"))[0]).toContain(
      'already a schedule called "tea"',
    );
    expect((await gateway.ask(ann, "/cron list"))[0]).toContain("`tea`");
    expect(await gateway.ask(ann, "/cron pause tea")).toEqual(["`tea` is paused."]);
    expect((await gateway.ask(ann, "/cron"))[0]).toContain("paused");
    expect(await gateway.ask(ann, "/cron resume TEA")).toEqual(["`tea` runs again."]);
    expect(await gateway.ask(ann, "/cron remove coffee")).toEqual([
      "There is no schedule `coffee`. `/cron` shows them.",
    ]);
    expect(await gateway.ask(ann, "/cron remove tea")).toEqual(["`tea` was removed."]);
    expect((await gateway.ask(ann, "/cron add whenever you like"))[0]).toContain("doesn't start with a time");
    expect((await gateway.ask(ann, "/cron fly"))[0]).toContain("/cron fly");
  });
});

describe("a due schedule", () => {
  it("runs in a separate session, once per tick, and its answer goes to its chat", async () => {
    const gateway = await start();
    await gateway.ask(ann, "/cron add --to home --name news every 1h what is new?");
    makeDue(gateway);
    const run = await lastRun(gateway, "done");
    await gateway.idle();
    const [answer, ...others] = gateway.adapter.to(group).map(({ text }) => text);
    expect(others).toEqual([]);
    expect(answer).toMatch(/^\*\*Cronjob Response: news\*\*\n\n/);
    expect(plain(answer!.split("\n\n").slice(1).join("\n\n"))).toContain("what is new?");
    expect(await gateway.store.getSession(run.sessionId!)).toMatchObject({
      source: "cron",
      end_reason: "cron_complete",
      message_count: 2,
    });
    expect((await gateway.store.listRoutes()).routes).toEqual([]);
    // Ann can find answers of tasks that ran on her behalf.
    const seen = await gateway.store.getSession(run.sessionId!, { platform: "test", userId: "ann" });
    expect(seen?.id).toBe(run.sessionId);
    expect((await only(gateway)).nextAt).toBeGreaterThan(Date.now() / 1000);
  });

  it("sends nothing for [SILENT], and only stores answers without a chat", async () => {
    const gateway = await start();
    await gateway.ask(ann, "/cron add --to home --name quiet every 1h say [SILENT]");
    makeDue(gateway);
    expect(await lastRun(gateway, "done")).toMatchObject({ delivery: null });
    await gateway.ask(ann, "/cron remove quiet");
    await gateway.ask(ann, "/cron add --to local --name diary every 1h dear diary");
    makeDue(gateway);
    await lastRun(gateway, "done");
    await gateway.idle();
    expect(await only(gateway)).toMatchObject({ lastRun: { delivery: "sent" } });
    expect(gateway.adapter.to(group)).toEqual([]);
  });

  it("that fails notifies its chat once, and again after a success", async () => {
    const gateway = await start();
    await gateway.ask(ann, "/cron add --to home --name broken every 1h !fail refused");
    const { id } = await only(gateway);
    let ticks = 4;
    const runAs = async (prompt: string, state: string) => {
      await gateway.store.changeSchedule(id, { prompt });
      ticks -= 1;
      makeDue(gateway, ticks);
      await until(
        "the tick is taken",
        async () =>
          (await gateway.store.listSchedules({ called: id, runs: 9 }))[0]!.runs!.length === 4 - ticks,
      );
      await lastRun(gateway, state);
      await gateway.idle();
    };
    const told = () => gateway.adapter.to(group).map(({ text }) => text.replace(/:[\s\S]*/, ""));
    await runAs("!fail refused", "failed");
    await runAs("!fail refused", "failed");
    expect(told()).toEqual(["⚠️ broken failed"]);
    await runAs("[SILENT]", "done");
    await runAs("!fail refused", "failed");
    expect(told()).toEqual(["⚠️ broken failed", "⚠️ broken failed"]);
    expect((await gateway.ask(ann, "/cron"))[0]).toContain("last failed");
  });

  it("is skipped while the previous run is running", async () => {
    const gateway = await start();
    await gateway.ask(ann, "/cron add --to home --name slow every 1h !slow 60000 done");
    makeDue(gateway, 5);
    await lastRun(gateway, "running");
    makeDue(gateway);
    const skipped = await lastRun(gateway, "skipped");
    expect(skipped.reason).toBe("the previous run had not finished");
    expect(gateway.read("SELECT count(*) AS n FROM gw_inbox WHERE platform = 'cron'")).toEqual([{ n: 1 }]);
  });

  it("can also be run manually, even while it is paused", async () => {
    const gateway = await start();
    await gateway.ask(ann, "/cron add --to home --name now every 1h hello");
    const { nextAt } = await only(gateway);
    await gateway.ask(ann, "/cron pause now");
    expect(await gateway.ask(ann, "/cron run now")).toEqual(["`now` runs now."]);
    expect(await lastRun(gateway, "done")).toMatchObject({ manual: true });
    expect(await only(gateway)).toMatchObject({ nextAt, state: "paused", runRequestedAt: null });
  });

  it("without a home channel is skipped with the reason", async () => {
    const gateway = await start();
    await gateway.ask(ann, "/cron add --to home --name lost every 1h hello");
    const homeless = await gateway.restart({
      cron: true,
      config: { owners: ["test:ann"] },
      platform: { enabled: true },
    });
    makeDue(homeless);
    expect(await lastRun(homeless, "skipped")).toMatchObject({ reason: "No platform has a home channel." });
  });

  it("with a cron expression follows the configured zone after a restart", async () => {
    const gateway = await start();
    await gateway.ask(ann, '/cron add --name nine "0 9 * * *" hello');
    await gateway.ask(ann, '/cron add --name fixed --timezone UTC "0 9 * * *" hello');
    await realign(
      { store: gateway.store, config: { ...gateway.config, timezone: "Asia/Tokyo" } },
      Date.now() / 1000,
    );
    const hours = (await gateway.store.listSchedules()).map(({ name, nextAt }) => [
      name,
      (nextAt! / 3600) % 24,
    ]);
    expect(hours).toEqual([
      ["fixed", 9],
      ["nine", 0],
    ]);
  });

  it("that ran while the clock was years ahead runs on time after the clock is corrected", async () => {
    const gateway = await TestGateway.start({
      config: { owners: ["test:ann"] },
      platform: { enabled: true },
    });
    const now = Math.floor(Date.now() / 1000);
    const ahead = now + 5 * 366 * 86_400;
    await gateway.ask(ann, "/cron add --name half --timezone Asia/Tokyo --missed skip every 30m hello");
    await gateway.ask(ann, '/cron add --name nine --timezone Asia/Tokyo --missed skip "0 9 * * *" hello');
    const before = (await gateway.store.listSchedules()).map(({ nextAt }) => nextAt);
    const targets = { ...knownTargetsOf(gateway.config), isChatId: () => true };
    const unreadable = () => undefined;
    const due = dueByClock({ store: gateway.store, config: gateway.config, targets, unreadable });
    const nextAt = async () => (await gateway.store.listSchedules()).map((schedule) => schedule.nextAt!);
    await due(ahead);
    expect(Math.min(...(await nextAt()))).toBeGreaterThan(ahead);
    await due(now);
    expect(await nextAt()).toEqual(before);
    await due(now - 30);
    expect(await nextAt()).toEqual(before);
  });

  it("that can't be read is reported once and doesn't block others", async () => {
    const gateway = await start();
    const broken = {
      json: "rule = '{\"kind'",
      kind: 'rule = \'{"kind":"moon"}\'',
      words: 'rule = \'{"kind":"cron","expression":"full moon"}\'',
      zone: "time_zone = 'Mars/Olympus'",
      target: "target = 'ops'",
      maker: "maker = '[]'",
    };
    for (const [name, sets] of Object.entries(broken)) {
      await gateway.ask(ann, `/cron add --to home --name ${name} every 1h I am ${name}`);
      gateway.change(`UPDATE gw_schedules SET next_at = 1000, ${sets} WHERE name = ?`, name);
    }
    await gateway.ask(ann, "/cron add --to home --name sound every 1h I am sound");
    gateway.change("UPDATE gw_schedules SET next_at = 1000 WHERE name = 'sound'");
    const ran = () => gateway.store.listSchedules({ called: "sound" }).then(([found]) => found?.lastRun);
    await until("the sound one has run", async () => (await ran())?.state === "skipped");
    await gateway.ask(ann, "/cron run sound");
    await until("and again", async () => (await ran())?.state === "done");
    await gateway.idle();
    expect(gateway.adapter.to(group)).toHaveLength(1);
    const names = Object.keys(broken);
    const warnings = gateway.warnings.map(({ message }) => message);
    expect(warnings.toSorted()).toEqual(names.map((name) => `unreadable: ${name}`).toSorted());

    const [list] = await gateway.ask(ann, "/cron");
    for (const name of names) expect(list).toContain(`\`${name}\` can't be read: `);
    expect(list).toContain("`sound` `every 1h`");
    expect((await gateway.ask(ann, "/cron resume kind"))[0]).toContain("Remove it and create it again");
    for (const name of names)
      expect(await gateway.ask(ann, `/cron remove ${name}`)).toEqual([`\`${name}\` was removed.`]);
    await only(gateway);
  });

  it("that can't be read keeps its due time when times are recomputed", async () => {
    const gateway = await start();
    await gateway.ask(ann, "/cron add --name broken every 1h hello");
    await gateway.ask(ann, '/cron add --name sound "0 9 * * *" hello');
    gateway.change("UPDATE gw_schedules SET rule = '{\"kind' WHERE name = 'broken'");
    const config = { ...gateway.config, timezone: "Asia/Tokyo" };
    const before = (await gateway.store.listSchedules({ called: "sound" }))[0]?.nextAt;
    await realign({ store: gateway.store, config }, Math.floor(Date.now() / 1000));
    expect((await gateway.store.listSchedules({ called: "sound" }))[0]?.nextAt).not.toBe(before);
    expect((await gateway.store.listSchedules({ called: "broken" }))[0]?.nextAt).toBeGreaterThan(1000);
  });

  it("sends nothing after it is removed, neither from a running nor from a waiting run", async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const echo = echoAgent();
    async function* run(...args: Parameters<AgentBackend["run"]>) {
      await gate;
      yield* echo.run(...args);
    }
    const gateway = await start({ agent: { ...echo, run }, config: { max_concurrent_sessions: 1 } });
    for (const name of ["first", "second"])
      await gateway.ask(ann, `/cron add --to home --name ${name} every 1h I am ${name}`);
    makeDue(gateway);
    const states = async () =>
      (await gateway.store.listSchedules()).map(({ lastRun: last }) => last?.state).toSorted();
    await until("one is answered, one waits", async () => (await states()).join() === "running,waiting", {
      found: states,
    });
    for (const name of ["first", "second"]) await gateway.say(ann, `/cron remove ${name}`);
    await until("both are gone", async () => (await gateway.store.listSchedules()).length === 0);
    const outcomes: string[] = [];
    gateway.events.watch("test", (event) => {
      if (event.type === "turn-ended") outcomes.push(event.outcome);
    });
    open();
    await until("the turn is over", () => outcomes.length > 0);
    await gateway.idle();
    expect(outcomes).toEqual(["overtaken"]);
    expect(gateway.adapter.to(group)).toEqual([]);
    const sessions = await gateway.store.listSessions({ source: "cron" });
    expect(sessions).toMatchObject([{ end_reason: "cron_complete", message_count: 0 }]);
  });

  it("that runs once is finished afterwards", async () => {
    const gateway = await start({ config: { cron: { wrap_response: false } } });
    await gateway.ask(ann, "/cron add in 1h call Ada");
    gateway.change("UPDATE gw_schedules SET next_at = 1000, rule = json_set(rule, '$.at', 1000)");
    await lastRun(gateway, "done");
    await gateway.idle();
    expect(await only(gateway)).toMatchObject({ state: "done", nextAt: null });
    expect(plain(gateway.adapter.to(ann).at(-1)!.text)).toContain("call Ada");
    expect((await gateway.ask(ann, "/cron resume call Ada"))[0]).toContain("has no further runs");
  });
});
