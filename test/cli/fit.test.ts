import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cellWidth } from "../../src/cli/cells.js";
import { shareWidth } from "../../src/cli/share-width.js";
import { nowSeconds } from "../../src/clock.js";
import type { ToolDefinition } from "../../src/tools/tool.js";
import { ModelServer } from "../emulators/model-server.js";
import { atEnd, forSeveral } from "../support/at-end.js";
import { TestGateway } from "../support/gateway.js";
import { inDm, inGroup } from "../support/test-adapter.js";
import { hermes, runHermes } from "./support/run.js";

/** Every listing on terminals of two widths, with data that nobody expects. */

const WIDTHS = [80, 200];
const ESCAPES = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\u0008";
const LONG = `${ESCAPES}東京タワーの設定 👩‍👩‍👧 ${"a long title goes on ".repeat(20)}`;
const ID = `user-${"0123456789".repeat(9)}`;
const ERROR = `${ESCAPES}HTTP 500: ${"the provider's page says 何か ".repeat(100)}`;
/** What a terminal would obey. */
const COMMANDS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

let home: string;
let message: string;
let model: ModelServer;

async function makeHome(): Promise<void> {
  model = await ModelServer.start();
  atEnd(() => model.close());
  const fall: ToolDefinition = {
    ...{ name: "fall", toolset: "own", description: LONG, parameters: {}, effect: "read", repeat: "safe" },
    run: () => Promise.reject(new Error(ERROR)),
  };
  const gateway = await TestGateway.start({ tools: [fall] });
  home = gateway.home;
  const [ann, ben] = [inDm("ann", LONG), inGroup(ID, `room-${ID}`, "李小龍 Ben")];
  await gateway.ask(ann, "a short question");
  message = await gateway.say(ben, `!tool fall ${JSON.stringify({ why: LONG })}`);
  await gateway.idle();
  for (const session of await gateway.store.listSessions({ limit: 10 }))
    await gateway.store.setTitle(session.id, `${session.id.slice(-4)} 東京 ${"title ".repeat(15)}`);
  await gateway.store.addPairing({
    ...{ id: "p1", platform: "telegram", userId: ID, userName: LONG, hash: "h", salt: "s" },
    createdAt: nowSeconds(),
  });
  await gateway.stop();
  await hermes(home, "cron", "add", "every 30m", LONG, "--name", "名前 of a schedule that is long");
  const server = { command: "node", args: ["server.js", "x".repeat(300)], enabled: false };
  const config = {
    model: { provider: "openai-compatible", base_url: model.url, default: "m1" },
    mcp_servers: { [`server-${"n".repeat(40)}`]: server, short: server },
    hooks: {
      webhooks: { [`hook-${"h".repeat(30)}`]: { url: `http://127.0.0.1:1/${"p".repeat(200)}`, events: [] } },
    },
  };
  writeFileSync(join(home, "config.yaml"), JSON.stringify(config), { mode: 0o600 });
}

let end: () => Promise<void>;
beforeAll(async () => {
  ({ end } = await forSeveral(makeHome));
});
afterAll(() => end());

const LISTINGS: readonly (readonly string[])[] = [
  ["sessions", "list"],
  ["sessions", "list", "--source", "test"],
  ["sessions", "search", "long"],
  ["sessions", "stats"],
  ["insights"],
  ["audit"],
  ["pairing", "list"],
  ["people", "list"],
  ["send", "--list"],
  ["cron", "list"],
  ["cron", "list", "--all"],
  ["mcp", "list"],
  ["hooks", "list"],
  ["plugins", "list"],
  ["models"],
  ["web", "people"],
  ["gateway", "status"],
  ["doctor", "--offline"],
  ["explain", "tools", `test:${ID}`],
  ["config", "check"],
  ["version"],
];

async function shown(columns: number, args: readonly string[]): Promise<string[]> {
  const { stdout, stderr } = await runHermes(home, args, "", { NO_COLOR: "1" }, columns);
  expect(stderr).not.toMatch(COMMANDS);
  return stdout.trimEnd().split("\n");
}

describe.each(WIDTHS)("on a terminal with %i columns", (columns) => {
  it.each(LISTINGS.map((args) => [args.join(" ").slice(0, 30), args] as const))(
    "hermes %s has no row that wraps and nothing that a terminal would obey",
    async (_, args) => {
      const lines = await shown(columns, args);
      for (const line of lines) {
        // A target is there to be copied.
        if (!(args.includes("--list") && line.includes(ID)))
          expect(cellWidth(line), line).toBeLessThanOrEqual(columns);
        expect(line).not.toMatch(COMMANDS);
      }
    },
  );

  it("a trace wraps its long error within the width, and ends it somewhere", async () => {
    const lines = await shown(columns, ["trace", message]);
    for (const line of lines) expect(cellWidth(line), line).toBeLessThanOrEqual(columns);
    expect(lines.join("\n")).toContain("the model called fall");
    expect(lines.length).toBeLessThan(60);
  });

  it("a list of sessions keeps ids and times whole", async () => {
    const [, rule, ...rows] = await shown(columns, ["sessions", "list"]);
    for (const row of rows) expect(row).toMatch(/ {2}just now {5}\d{8}_\d{6}_[0-9a-f]{8}$/);
    expect(rule).toBe("─".repeat(columns === 80 ? 80 : cellWidth(rule!)));
    expect(rows[0]).toMatch(columns === 80 ? /….*…|…/ : /title title title title title/);
  });
});

describe("shareWidth", () => {
  it("gives all what they need, or takes from the widest", () => {
    const id = { natural: 24, min: 24 };
    expect(shareWidth([{ natural: 90, min: 12 }, { natural: 40, min: 8 }, id], 200)).toEqual([90, 40, 24]);
    expect(shareWidth([{ natural: 90, min: 12 }, { natural: 40, min: 8 }, id], 76)).toEqual([26, 26, 24]);
    expect(shareWidth([{ natural: 90, min: 12 }, { natural: 9, min: 8 }, id], 76)).toEqual([43, 9, 24]);
    expect(shareWidth([{ natural: 90, min: 90 }, id], 40)).toEqual([20, 20]);
  });

  it("never gives more than there is, nor more than a column needs", () => {
    const column = fc.record({ natural: fc.nat(5000), min: fc.nat(60) });
    fc.assert(
      fc.property(
        fc.array(column, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 40, max: 300 }),
        (columns, total) => {
          const needs = columns.map(({ natural, min }) => ({ natural, min: Math.min(natural, min) }));
          const widths = shareWidth(needs, total);
          expect(widths.reduce((sum, width) => sum + width, 0)).toBeLessThanOrEqual(total);
          expect(widths.every((width, index) => width <= needs[index]!.natural)).toBe(true);
          const wanted = needs.reduce((sum, { natural }) => sum + natural, 0);
          if (wanted >= total) expect(widths.reduce((sum, width) => sum + width, 0)).toBe(total);
        },
      ),
    );
  });
});

it("JSON of outside text escapes what a terminal would obey", async () => {
  const { stdout } = await runHermes(home, ["pairing", "list", "--json"]);
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(JSON.parse(stdout).pending[0].userName).toContain("東京");
});
