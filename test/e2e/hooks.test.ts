import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runHermes } from "../cli/support/run.js";
import { parseMetrics } from "../metrics/support.js";
import { Daemon } from "../support/daemon.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";
import { WebClient } from "../support/web-client.js";

/** The files in docs/hooks.md: each starts with a comment that is its path. */
function exampleHome(): string {
  const home = path.join(tempDir(), "home");
  const docs = readFileSync(new URL("../../docs/hooks.md", import.meta.url), "utf8");
  const blocks = [...docs.matchAll(/```(?:yaml|js)\n(?:#|\/\/) (hooks\/\S+)\n([\s\S]*?)```/g)];
  expect(blocks).toHaveLength(2);
  for (const [, name, text] of blocks) {
    mkdirSync(path.dirname(path.join(home, name!)), { recursive: true });
    writeFileSync(path.join(home, name!), text!);
  }
  return home;
}

describe("the hook in docs/hooks.md", () => {
  it("is listed, can be tested, and works", async () => {
    const home = exampleHome();
    const listed = await runHermes(home, ["hooks", "list"]);
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    expect(listed.stdout).toMatch(/journal +session:start, agent:end, command:journal +Writes down who/);
    const tried = await runHermes(home, ["hooks", "test", "session:start", "--json"]);
    expect(tried).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(tried.stdout)).toEqual([{ hook: "journal", ok: true, ms: expect.any(Number) }]);

    const daemon = await new Daemon({ home }).start();
    const client = new WebClient(daemon.url);
    await client.send("hello");
    await client.told("answer");
    const entries = () => readFileSync(path.join(home, "hooks/journal/journal.jsonl"), "utf8").split("\n");
    await until("it has written all down", () => entries().length > 3);
    await client.send("/journal");
    expect(await client.told("command")).toEqual(["3 entries so far."]);
    const events = entries()
      .slice(0, 3)
      .map((line) => (JSON.parse(line) as { event: string }).event);
    expect(events).toEqual(["session:start", "session:start", "agent:end"]);
    const metrics = parseMetrics(await (await fetch(`${daemon.url}/metrics`)).text());
    expect(metrics.get('hermes_hooks_total{hook="journal",outcome="ok"}')).toBe(3);
    expect(await daemon.stop()).toBe(0);
  });

  it("reports invalid hooks and invalid arguments", async () => {
    const home = exampleHome();
    mkdirSync(path.join(home, "hooks/broken"));
    writeFileSync(path.join(home, "hooks/broken/HOOK.yaml"), "events: [session:start]\n");
    writeFileSync(
      path.join(home, "hooks/broken/handler.mjs"),
      "export const handle = () => { throw new Error('no') }",
    );
    const tried = await runHermes(home, ["hooks", "test", "session:start"]);
    expect(tried.code).toBe(1);
    expect(tried.stdout).toMatch(/broken +failed .*Error: no\njournal +ok/);
    const unknown = await runHermes(home, ["hooks", "test", "session:begin"]);
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no event 'session:begin'"),
    });
    const nobody = await runHermes(home, ["hooks", "test", "agent:start"]);
    expect(nobody).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No hook listens to agent:start"),
    });
    const daemon = await new Daemon({ home }).start();
    const client = new WebClient(daemon.url);
    await client.send("hello");
    await client.told("answer");
    await until("the log names it", () => daemon.run.logged("hook failed").length > 0);
    expect(daemon.run.logged("hook failed")).toMatchObject([{ hook: "broken", event: "session:start" }]);
  });
});
