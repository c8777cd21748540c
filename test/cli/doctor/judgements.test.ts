import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { judgeScopes } from "../../../src/adapters/slack/probe.js";
import { judgeWebhook } from "../../../src/adapters/telegram/probe.js";
import { endpointsOf } from "../../../src/agents/endpoints.js";
import { judgeSize } from "../../../src/cli/doctor/database.js";
import { judgeRoom } from "../../../src/cli/doctor/files.js";
import { describeLock } from "../../../src/cli/doctor/gateway.js";
import { askTime, checkTimezone, judgeClock } from "../../../src/cli/doctor/machine.js";
import { judgeQueues } from "../../../src/cli/doctor/queues.js";
import { configSchema } from "../../../src/config/schema.js";
import { isSafeSqlite } from "../../../src/store/sqlite/connect.js";

/** The rules of `hermes doctor`, each with the facts that it is given. */

const GB = 1024 ** 3;
const NOW = 1_800_000_000;

describe("disk space", () => {
  it("is measured against a copy of the database", () => {
    expect(judgeRoom(50 * GB, 1 * GB).state).toBe("ok");
    expect(judgeRoom(0.5 * GB, 1024).state).toBe("warn");
    expect(judgeRoom(50 * GB, 40 * GB)).toMatchObject({
      state: "warn",
      message: expect.stringContaining("40.0 GB"),
    });
    expect(judgeRoom(0.05 * GB, 1024).state).toBe("fail");
  });
});

describe("the clock", () => {
  const at = (offset: number) =>
    judgeClock({ now: NOW, theirs: { at: NOW - offset, host: "h" }, newestMessageAt: null });

  it("may differ a little from a server's, but not by minutes", () => {
    expect([at(0), at(59), at(-59)].map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
    expect(at(90)).toMatchObject({ state: "warn", message: "90 s ahead of h" });
    expect(at(-400)).toMatchObject({ state: "fail", message: expect.stringContaining("400 s behind h") });
  });

  it("must not be before the newest message if no server can be asked", () => {
    expect(judgeClock({ now: NOW, newestMessageAt: null }).state).toBe("ok");
    expect(judgeClock({ now: NOW, newestMessageAt: NOW + 10 }).state).toBe("ok");
    expect(judgeClock({ now: NOW, newestMessageAt: NOW + 4000 }).state).toBe("warn");
  });

  it("is compared with the Date header of a server", async () => {
    const server = http.createServer((_, response) => {
      response.writeHead(404, { date: "Fri, 15 Jan 2027 08:00:00 GMT" }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const host = `127.0.0.1:${port}`;
    expect(await askTime(`http://${host}/bot`)).toEqual({ at: NOW, host });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(await askTime(`http://${host}/bot`)).toBeUndefined();
  });

  it("is shown in the zone of the resets", () => {
    const config = configSchema.parse({ timezone: "Europe/Berlin", session_reset: { at_hour: 5 } });
    expect(checkTimezone(config, new Date(NOW * 1000))).toEqual({
      state: "ok",
      message: "Europe/Berlin: it is 09:00 GMT+01:00; sessions are reset at 05:00",
    });
  });
});

describe("SQLite", () => {
  it("is safe from the version on that has the fix", () => {
    expect(["3.51.3", "3.51.10", "3.52.0", "4.0.0"].every(isSafeSqlite)).toBe(true);
    expect(["3.51.2", "3.50.9", "3.9.0", "2.99.99"].some(isSafeSqlite)).toBe(false);
  });
});

describe("the lock", () => {
  const info = { pid: 7, started_at: NOW, boot_id: "b", url: "http://127.0.0.1:1" };

  it("distinguishes a running gateway, a crashed one and Hermes Agent's", () => {
    expect(describeLock({ running: false })).toMatchObject({ state: "ok", message: "not running" });
    expect(describeLock({ running: true, info }).message).toMatch(
      /^running at http:\/\/127\.0\.0\.1:1 \(pid 7/,
    );
    expect(describeLock({ running: false, crashed: info })).toMatchObject({
      state: "warn",
      message: expect.stringContaining("crashed"),
    });
    expect(describeLock({ running: false, agentPid: 9 }).state).toBe("fail");
  });
});

describe("the size", () => {
  const keeping = (auto_prune: boolean) => configSchema.parse({ sessions: { auto_prune } }).sessions;

  it("is fine while nothing is too old, or the file is small", () => {
    expect(judgeSize(9 * GB, 0, keeping(false), true).state).toBe("ok");
    expect(judgeSize(1024, 5, keeping(false), true).state).toBe("ok");
    expect(judgeSize(1024, 5, keeping(true), false).state).toBe("ok");
  });

  it("gets a warning when old sessions pile up", () => {
    expect(judgeSize(GB, 5, keeping(false), false)).toMatchObject({
      state: "warn",
      fix: expect.stringContaining("hermes sessions prune --older-than 90"),
    });
    expect(judgeSize(1024, 5, keeping(true), true).state).toBe("warn");
  });
});

describe("the queues", () => {
  const none = { count: 0, oldestAt: null };
  const vitals = {
    waiting: none,
    running: none,
    pending: none,
    sending: none,
    misdated: 0,
    prunable: 0,
    newestMessageAt: null,
  };
  const facts = { vitals, dead: [], running: true, turnSeconds: 1800, now: NOW };
  const since = (seconds: number) => ({ count: 2, oldestAt: NOW - seconds });

  it("are fine while everything makes progress", () => {
    expect(judgeQueues(facts)).toEqual([{ state: "ok", message: "nothing is stuck, nothing has failed" }]);
    const busy = { waiting: since(60), running: since(1000), pending: since(60), sending: since(20) };
    expect(judgeQueues({ ...facts, vitals: { ...vitals, ...busy } })[0]!.state).toBe("ok");
    // Its time has not come: it waits for a pause to end.
    const later = { pending: { count: 1, oldestAt: null } };
    expect(judgeQueues({ ...facts, vitals: { ...vitals, ...later } })[0]!.state).toBe("ok");
  });

  it("report messages that are stuck", () => {
    const stuck = { waiting: since(700), running: since(4000), pending: since(4000), sending: since(400) };
    const found = judgeQueues({ ...facts, vitals: { ...vitals, ...stuck } });
    expect(found.map(({ message }) => message)).toEqual([
      "2 messages waiting to be answered, the oldest since 11m ago",
      "2 turns running, the oldest since 1h ago",
      "2 answers waiting to be sent, the oldest since 1h ago",
      "2 answers being sent, the oldest since 6m ago",
    ]);
  });

  it("report the effects of a clock that was set back", () => {
    const ahead = { waiting: since(-7200), misdated: 3 };
    const found = judgeQueues({ ...facts, vitals: { ...vitals, ...ahead } });
    expect(found.map(({ state, message }) => [state, message])).toEqual([
      ["warn", "2 messages waiting to be answered, the oldest from the future: was the clock set back?"],
      ["warn", "3 rows are delayed for too long: was the clock set back?"],
    ]);
  });

  it("report pending messages without a gateway", () => {
    const open = { waiting: since(5), pending: since(5) };
    expect(judgeQueues({ ...facts, running: false, vitals: { ...vitals, ...open } })).toMatchObject([
      { state: "warn", message: "2 messages and 2 answers wait" },
    ]);
  });
});

describe("a Telegram webhook", () => {
  const wanted = { secret: "s", path: "/hook", publicUrl: "https://me.example/" };
  const info = { url: "https://me.example/hook", pending_update_count: 0 };
  const judge = (more: object, options: { running?: boolean; wanted?: typeof wanted | undefined } = {}) =>
    judgeWebhook(
      { ...info, ...more },
      "wanted" in options ? options.wanted : wanted,
      options.running ?? true,
      NOW,
    )[0];

  it("is fine when Telegram has our address and no recent failure", () => {
    expect(judge({})).toMatchObject({ state: "ok", message: "the webhook is set" });
    expect(judge({ last_error_message: "x", last_error_date: NOW - 9999 })!.state).toBe("ok");
    expect(judge({ url: "" }, { running: false })).toMatchObject({ state: "ok" });
    expect(judge({ url: "" }, { wanted: undefined })).toBeUndefined();
  });

  it("is reported when it fails, is missing, or isn't ours", () => {
    const failing = { last_error_message: "Connection refused", last_error_date: NOW - 5 };
    expect(judge({ ...failing, pending_update_count: 3 })).toMatchObject({
      state: "fail",
      message: "Telegram can't deliver to the webhook: Connection refused, 3 updates are pending",
    });
    expect(judge(failing)!.state).toBe("warn");
    expect(judge({ url: "https://other.example/x" })).toMatchObject({
      state: "fail",
      message: "Telegram calls other.example instead of ours",
    });
    expect(judge({ url: "" })!.state).toBe("fail");
    expect(judge({}, { wanted: undefined })!.state).toBe("fail");
    expect(judge({}, { wanted: undefined, running: false })!.state).toBe("warn");
  });
});

describe("Slack's scopes", () => {
  const all = [
    ..."chat:write im:history app_mentions:read channels:history groups:history mpim:history im:read".split(
      " ",
    ),
    ..."channels:read groups:read mpim:read users:read files:read files:write commands".split(" "),
  ];
  const without = (...scopes: string[]) => judgeScopes(all.filter((scope) => !scopes.includes(scope)));

  it("are complete, or the missing ones are listed with their purpose", () => {
    expect(judgeScopes(undefined)).toEqual([]);
    expect(without()).toEqual([{ state: "ok", message: "has all scopes" }]);
    expect(without("files:read")).toMatchObject([
      { state: "warn", message: "lacks the scope files:read (to get files)" },
    ]);
    expect(without("chat:write")).toMatchObject([
      { state: "fail", message: "lacks the scope chat:write (to answer)" },
    ]);
  });

  it("are a fault if the bot can't receive anything, though each alone isn't", () => {
    const hearing = all.filter((scope) => /history|app_mentions/.test(scope));
    expect(without(...hearing.slice(1)).map(({ state }) => state)).toEqual(["warn"]);
    expect(without(...hearing).map(({ state }) => state)).toEqual(["fail"]);
  });
});

describe("the models to ask", () => {
  it("are the main one, its fallbacks, and side models that differ", () => {
    const base = { provider: "openai-compatible", base_url: "http://127.0.0.1:1/v1" };
    const config = configSchema.parse({
      model: {
        ...base,
        default: "a",
        fallback: [
          { ...base, default: "b" },
          { ...base, default: "a" },
        ],
      },
      auxiliary: { compression: { model: "c" } },
    });
    const names = endpointsOf(config).map(({ name }) => name);
    expect(names).toEqual(["model", "model.fallback.0", "auxiliary.compression"]);
    expect(endpointsOf(configSchema.parse({})).map(({ name }) => name)).toEqual(["model"]);
  });
});
