import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Events } from "../../src/events.js";
import { Metrics } from "../../src/metrics/index.js";

/** What is drawn and what alarms must be there to be scraped. */

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; refId: string }[];
}

const file = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
const dashboard = JSON.parse(file("config/grafana-dashboard.json")) as {
  uid: string;
  title: string;
  schemaVersion: number;
  templating: { list: { name: string }[] };
  panels: Panel[];
};

async function knownMetrics(): Promise<{ names: Set<string>; histograms: Set<string> }> {
  const metrics = new Metrics(new Events(() => undefined), { version: "1", node: "2" });
  const distribution = { bounds: [1], counts: [0], count: 0, sum: 0 };
  const none = { count: 0, oldestAt: null };
  metrics.readFrom({
    backlog: async () => ({
      inbox: { waiting: none, running: none, dead: none },
      outbox: { pending: none, sending: none, unknown: none, dead: none },
      ready: { inbox: null, outbox: null },
      misdated: 0,
    }),
    writerStats: async () => ({
      commitSeconds: distribution,
      commitWrites: distribution,
      failures: 0,
      lockWaits: 0,
      waiting: 0,
      waitingSeconds: 0,
      lastCommitAt: null,
      lastFailureAt: null,
    }),
    fileBytes: async () => [],
    turns: () => ({ waiting: 0, running: 0 }),
    openPenalties: () => [],
    platforms: () => [],
    isReady: async () => true,
  });
  const types = [...(await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return {
    names: new Set(types.map(([, name]) => name!)),
    histograms: new Set(types.filter(([, , type]) => type === "histogram").map(([, name]) => name!)),
  };
}

/** Names of metrics in an expression, without what a histogram makes of its own. */
function namesIn(expr: string, histograms: Set<string>): string[] {
  const names = expr.match(/\b(?:hermes|nodejs|process)_\w+/g) ?? [];
  return names.map((name) => {
    const base = name.replace(/_(?:bucket|sum|count)$/, "");
    return histograms.has(base) ? base : name;
  });
}

const isBalanced = (expr: string) =>
  ["()", "{}", "[]"].every(([open, close]) => expr.split(open!).length === expr.split(close!).length);

describe("the Grafana dashboard", () => {
  const panels = dashboard.panels.filter(({ type }) => type !== "row");

  it("is a valid Grafana model", () => {
    expect(dashboard).toMatchObject({ uid: "hermes-gateway", title: "Hermes Gateway" });
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(36);
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(panels.length).toBeGreaterThan(20);
    for (const { targets, gridPos } of panels) {
      expect(targets!.length).toBeGreaterThan(0);
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (const { expr } of targets!) expect(isBalanced(expr), expr).toBe(true);
    }
    for (const one of panels)
      for (const other of panels) expect(one !== other && overlap(one, other)).toBe(false);
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(["datasource", "job", "instance"]);
  });

  it("uses only existing metrics, and all of ours", async () => {
    const { names, histograms } = await knownMetrics();
    const drawn = new Set(
      panels.flatMap(({ targets }) => targets!.flatMap(({ expr }) => namesIn(expr, histograms))),
    );
    expect([...drawn].filter((name) => !names.has(name))).toEqual([]);
    expect([...names].filter((name) => name.startsWith("hermes_") && !drawn.has(name))).toEqual([]);
  });
});

describe("docs/operating.md", () => {
  const text = file("docs/operating.md");

  it("names metrics that exist", async () => {
    const { names, histograms } = await knownMetrics();
    const named = namesIn(text.replaceAll(/hermes_\w+_…/g, ""), histograms);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });

  it("has valid alert rules", () => {
    const blocks = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml]) => parse(yaml!) as unknown);
    expect(blocks).toHaveLength(2);
    const { groups } = blocks[1] as { groups: { rules: { alert: string; expr: string }[] }[] };
    const rules = groups.flatMap(({ rules: all }) => all);
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, expr } of rules) {
      expect(alert).toMatch(/^Hermes/);
      expect(isBalanced(expr), expr).toBe(true);
    }
  });
});

function overlap({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
