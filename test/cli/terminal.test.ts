import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AUTH, someHistory, WEATHER } from "./support/home.js";
import { hermes, runHermes, temporaryFolder } from "./support/run.js";
import { openScreen } from "./support/terminal.js";

describe("in a terminal", () => {
  it("browse narrows as one types, and reads the session that is chosen", async () => {
    const screen = openScreen(await someHistory(), ["sessions", "browse"]);
    const all = await screen.until(/Choose a session \(3\)[\s\S]*to select/);
    expect(all).toMatch(/refactoring auth[\s\S]*my project #2[\s\S]*What's the weather/);
    screen.type("tele weath");
    expect(await screen.until(/1 match\b/)).not.toContain("refactoring auth");
    screen.press("Enter");
    expect(await screen.until(/What now\?[\s\S]*Read its last/)).toContain(
      "its chat on telegram starts a new session",
    );
    screen.press("Down", "Enter");
    const shown = await screen.until(/exit=0/);
    expect(shown).toMatch(/● user[\s\S]*東京タワー[\s\S]*◆ assistant/);
    expect(shown).toContain(`hermes -r ${WEATHER}`);
    expect(shown).toContain(`hermes sessions show ${WEATHER}`);
  });

  it("browse continues the session that is chosen, and goes away by Ctrl-C", async () => {
    const home = await someHistory();
    const down = openScreen(home, ["sessions", "browse", "--source", "cli"]);
    await down.until(/Choose a session \(1\)[\s\S]*to select/);
    down.press("Down", "Enter");
    await down.until(/What now\?/);
    down.press("Enter");
    expect(await down.until(/\/help for commands/)).toMatch(
      /Resumed 20250305_091523_a1b2c3d4 "refactoring auth"/,
    );
    down.type("and now?");
    down.press("Enter");
    await down.until(/Echo: and now\?|and now\?[\s\S]*and now\?/);
    down.press("C-d");
    await down.until(/exit=0/);
    expect(await hermes(home, "sessions", "show", AUTH)).toContain("and now?");
    const away = openScreen(home, ["sessions", "browse"]);
    await away.until(/Choose a session \(3\)[\s\S]*to select/);
    away.press("C-c");
    expect(await away.until(/exit=\d/)).toMatch(/Cancelled\.\s+exit=0/);
  });

  it("browse without a terminal says what to do", async () => {
    const ran = await runHermes(await someHistory(), ["sessions", "browse"]);
    expect(ran).toEqual({
      code: 1,
      stdout: "",
      stderr: "error: Browsing needs a terminal.\nUse `hermes sessions list` instead.\n",
    });
  });

  it("delete asks first, and no means no", async () => {
    const home = await someHistory();
    for (const no of ["n", "Enter", "Escape", "C-c"]) {
      const screen = openScreen(home, ["sessions", "delete", AUTH]);
      await screen.until(
        /Delete session '20250305_091523_a1b2c3d4' \(refactoring auth\) and all its messages\?/,
      );
      screen.press(no);
      expect(await screen.until(/exit=\d/)).toMatch(/Cancelled\.\s+exit=0/);
    }
    expect(await hermes(home, "sessions", "list")).toContain(AUTH);
  });

  it("delete goes ahead on yes", async () => {
    const home = await someHistory();
    const screen = openScreen(home, ["sessions", "delete", AUTH]);
    await screen.until(/and all its messages\?/);
    screen.press("y");
    expect(await screen.until(/exit=\d/)).toMatch(/Deleted session '20250305_091523_a1b2c3d4'\.\s+exit=0/);
    expect(await hermes(home, "sessions", "list")).not.toContain(AUTH);
  });

  it("config edit keeps what was typed if someone else saves the file meanwhile", async () => {
    const home = temporaryFolder();
    const file = join(home, "config.yaml");
    writeFileSync(file, "# mine\n");
    const editor = join(home, "editor.sh");
    const lines = ["#!/bin/sh", `echo 'timezone: UTC' >> "$1"`, `echo '# theirs' >> '${file}'`];
    writeFileSync(editor, lines.join("\n"), { mode: 0o755 });
    const screen = openScreen(home, ["config", "edit"], 160, { VISUAL: editor });
    const shown = await screen.until(/exit=\d/);
    expect(shown).toMatch(/config\.yaml has changed since it was read, so nothing was written\./);
    expect(readFileSync(file, "utf8")).toBe("# mine\n# theirs\n");
    const copy = /Your version is kept in\s+(\S+\/config\.yaml)\./.exec(shown)?.[1] ?? "";
    onTestFinished(() => rmSync(dirname(copy), { recursive: true, force: true }));
    expect(readFileSync(copy, "utf8")).toBe("# mine\ntimezone: UTC\n");
  });

  it("prune asks too", async () => {
    const home = await someHistory();
    const screen = openScreen(home, ["sessions", "prune", "--older-than", "0", "--source", "discord"]);
    await screen.until(/Delete all ended sessions of discord older than 0 days\?/);
    screen.press("y");
    expect(await screen.until(/exit=\d/)).toMatch(/Pruned 1 session\(s\)\.\s+exit=0/);
  });

  it("cron remove asks too", async () => {
    const home = await someHistory();
    await hermes(home, "cron", "add", "every 30m", "Drink tea", "--name", "tea");
    for (const [key, words] of [
      ["n", /Cancelled\.\s+exit=0/],
      ["y", /Removed "tea" \(every 30m\)\.\s+exit=0/],
    ] as const) {
      const screen = openScreen(home, ["cron", "remove", "tea"]);
      await screen.until(/Remove the schedule "tea" \(every 30m\)\?/);
      screen.press(key);
      expect(await screen.until(/exit=\d/)).toMatch(words);
    }
  });

  it("search highlights instead of marking", async () => {
    const screen = openScreen(await someHistory(), ["sessions", "search", "weather"]);
    const found = await screen.until(/exit=0/);
    expect(found).toContain("What's the weather in");
    expect(found).not.toContain(">>>");
  });

  it.each([80, 200])("a list of sessions has one line for each on %i columns", async (columns) => {
    const home = await someHistory();
    const title = "東京 👍🏽 a title ".repeat(6);
    await hermes(home, "sessions", "rename", AUTH, title);
    const screen = openScreen(home, ["sessions", "list"], columns);
    const lines = (await screen.until(/exit=0/)).trimEnd().split("\n");
    expect(lines.slice(0, 6)).toHaveLength(6);
    expect(lines[2]).toMatch(new RegExp(` 2h ago +${AUTH}$`));
    expect(lines[5]).toBe("exit=0");
  });
});
