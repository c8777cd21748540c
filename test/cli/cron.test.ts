import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { NewSchedule, RunRow, ScheduleRow } from "../../src/store/schedules.js";
import { storeIn } from "./support/home.js";
import { hermes, hermesJson, runHermes, temporaryFolder } from "./support/run.js";

const CONFIG = `
timezone: Europe/Berlin
cron: {max_jobs: 2}
platforms:
  telegram: {token: "1:x", home_channel: -100}
`;

function someHome(): string {
  const home = temporaryFolder();
  writeFileSync(join(home, "config.yaml"), CONFIG);
  return home;
}

/** The same with a schedule, as the command would have made it. */
async function withSchedule(more: Partial<NewSchedule> = {}): Promise<string> {
  const home = someHome();
  const made: NewSchedule = {
    id: "0badcafe",
    name: "Drink tea",
    prompt: "Drink tea!",
    when: { kind: "every", seconds: 1800, from: 1_780_000_000 },
    timeZone: "UTC",
    missed: "run",
    deliver: "home",
    target: null,
    maker: null,
    nextAt: 1_780_000_000,
    createdAt: 1_780_000_000,
    ...more,
  };
  await storeIn(home, (store) => store.addSchedule(made, 9));
  return home;
}

describe("hermes cron", { timeout: 60_000 }, () => {
  it("adds and lists schedules up to the maximum", async () => {
    const home = someHome();
    const day = ["cron", "add", "0 9 * * *", "What is on?", "--to", "telegram:-5:7", "--name", "day"];
    expect(await hermes(home, ...day)).toMatch(
      /^Added "day" \([0-9a-f]{8}\)\. Next run: \d{4}-\d\d-\d\d 09:00 \(Europe\/Berlin\)\.\n$/,
    );
    const tea = [
      "cron",
      "add",
      "every 30m",
      "-",
      "--to",
      "home",
      "--timezone",
      "UTC",
      "--missed",
      "skip",
      "--json",
    ];
    const added = await runHermes(home, tea, "Drink tea\n");
    expect(JSON.parse(added.stdout)).toMatchObject({
      name: "Drink tea",
      when: { kind: "every", seconds: 1800 },
      deliver: "home",
      target: null,
      missed: "skip",
      timeZone: "UTC",
    });
    const full = await runHermes(home, ["cron", "add", "@daily", "x"]);
    expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining("cron.max_jobs") });
    const list = await hermes(home, "cron", "list");
    expect(list).toMatch(/day\s+0 9 \* \* \*\s+\d{4}-\d\d-\d\d 09:00\s+telegram:-5:7\s+—/);
    expect(list).toMatch(/Drink tea\s+every 30m/);
  });

  it("pauses, resumes, edits, runs and removes", async () => {
    const home = await withSchedule();
    expect(await hermes(home, "cron", "pause", "drink TEA")).toBe('Paused "Drink tea".\n');
    expect(await hermes(home, "cron", "resume", "0badcafe")).toContain(
      '"Drink tea" runs again. Next run: 20',
    );
    const edited = ["cron", "edit", "Drink tea", "--when", "30 7 * * *", "--to", "local", "--name", "tea"];
    expect(await hermesJson<ScheduleRow>(home, ...edited)).toMatchObject({
      name: "tea",
      prompt: "Drink tea!",
      when: { expression: "30 7 * * *" },
      timeZone: "UTC",
      deliver: "local",
    });
    const reset = ["cron", "edit", "tea", "--timezone", "", "--name", ""];
    expect(await hermesJson<ScheduleRow>(home, ...reset)).toMatchObject({
      ...{ name: "Drink tea!", when: { expression: "30 7 * * *" }, timeZone: null },
    });
    await hermes(home, "cron", "edit", "Drink tea!", "--name", "tea");
    expect(await hermes(home, "cron", "run", "tea")).toContain("none is running");
    expect(await storeIn(home, (store) => store.listSchedules({ dueAt: 0 }))).toMatchObject([
      { name: "tea" },
    ]);
    const refused = await runHermes(home, ["cron", "remove", "tea"], "y\n");
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("--yes") });
    expect(await hermesJson<ScheduleRow[]>(home, "cron", "list")).toHaveLength(1);
    expect(await hermes(home, "cron", "remove", "tea", "--yes")).toBe('Removed "tea" (30 7 * * *).\n');
  });

  it("shows the outcome of its runs", async () => {
    const home = await withSchedule();
    const skipped = { tick: 1_780_000_000, reason: "nobody was there" };
    const changes = { nextAt: null, state: "done", skipped } as const;
    await storeIn(home, (store) => store.changeSchedule("0badcafe", changes));
    const [text, json, list, all] = await Promise.all([
      hermes(home, "cron", "show", "drink tea"),
      hermesJson<ScheduleRow & { runs: RunRow[] }>(home, "cron", "show", "0badcafe"),
      hermes(home, "cron", "list"),
      hermes(home, "cron", "list", "--all"),
    ]);
    expect(text).toContain("2026-05-28 20:26 (UTC)  skipped  nobody was there");
    expect(json).toMatchObject({ state: "done", runs: [{ state: "skipped", reason: "nobody was there" }] });
    expect(list).toContain("no schedules");
    expect(all).toContain("skipped");
  });

  it("shows one that can't be read, and removes it", async () => {
    const home = await withSchedule({ when: { kind: "moon" } });
    const [list, listed, shown, paused] = await Promise.all([
      hermes(home, "cron", "list"),
      hermesJson<ScheduleRow[]>(home, "cron", "list"),
      hermes(home, "cron", "show", "drink tea"),
      runHermes(home, ["cron", "pause", "drink tea"]),
    ]);
    expect(list).toMatch(/Drink tea\s+unreadable\s+—\s+—\s+Unknown schedule rule/);
    expect(listed).toMatchObject([{ name: "Drink tea", fault: expect.stringContaining("moon") }]);
    expect(shown).toContain('unreadable: Unknown schedule rule {"kind":"moon"}.');
    expect(paused).toMatchObject({ code: 1, stderr: expect.stringContaining("Remove it") });
    expect(await hermes(home, "cron", "remove", "drink tea", "-y")).toBe(
      'Removed "Drink tea" (unreadable).\n',
    );
    expect(await hermesJson<ScheduleRow[]>(home, "cron", "list")).toEqual([]);
  });

  it("fails with a message that helps", async () => {
    const cases: [string[], string][] = [
      [["add", "whenever", "x"], 'Use "0 9 * * 1-5"'],
      [["add", "@daily", " "], "prompt is empty"],
      [["add", "@daily", "x", "--timezone", "Mars/Olympus"], "Europe/Berlin"],
      [["add", "@daily", "x", "--to", "telegram:Nobody"], 'No chat named "Nobody" on telegram'],
      [["add", "@daily", "x", "--to", "origin"], "no chat of origin"],
      [["add", "@daily", "x", "--missed", "twice"], "Allowed choices are run, skip"],
      [["pause", "nothing"], "There is no database"],
    ];
    const ran = await Promise.all(cases.map(([args]) => runHermes(someHome(), ["cron", ...args])));
    for (const [i, [, words]] of cases.entries()) {
      expect(ran[i]!.stderr).toContain(words);
      expect(ran[i]!.code).not.toBe(0);
    }
  });
});
