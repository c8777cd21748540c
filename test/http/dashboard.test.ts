import fs from "node:fs";
import { describe, expect, it } from "vitest";
import type { ActionsAnswer, AuditAnswer } from "../../src/http/dashboard/audit-types.js";
import { asTyped } from "../../src/http/dashboard/search.js";
import type {
  ConfigAnswer,
  DeadAnswer,
  LineageAnswer,
  MessagesAnswer,
  Overview,
  PairingAnswer,
  SearchAnswer,
  SessionsAnswer,
  TraceAnswer,
  TranscriptPage,
  UsageAnswer,
} from "../../src/http/dashboard/types.js";
import { runHermes } from "../cli/support/run.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";
import { WebClient } from "../support/web-client.js";
import { sharedDashboard, startDashboard, TOKEN } from "./support/dashboard.js";
import { EventReader } from "./support/events.js";
import { ask } from "./support/request.js";

const common = sharedDashboard();

describe("the dashboard's endpoints", () => {
  it("answer what an operator asks, page by page", async () => {
    const { get, demo } = common();
    const overview = await get<Overview>("/overview");
    expect(overview.platforms.find(({ platform }) => platform === "web")).toMatchObject({ state: "ok" });
    expect(overview.hour.handled.reduce((sum, n) => sum + n, 0)).toBe(21);
    expect(overview.queues.inbox.dead + overview.queues.outbox.dead + overview.queues.outbox.unknown).toBe(3);
    expect(overview.totals.sessions).toBe(demo.sessions);

    const seen: string[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const page: SessionsAnswer = await get(`/sessions?limit=5${next && `&before=${next}`}`);
      seen.push(...page.sessions.map(({ id }) => id));
      next = page.next;
    }
    // The lineage is one entry, delegated work none: its root, second and delegated sessions aren't listed.
    expect(new Set(seen).size).toBe(demo.sessions - 3);
    expect(seen).not.toContain(demo.project.root);
    const person = await get<SessionsAnswer>("/sessions?user=U04PRIYA7&source=slack&state=active");
    expect(person.sessions.map(({ id }) => id)).toContain(demo.project.tip);

    const transcript = await get<TranscriptPage>(`/sessions/${demo.project.root}/transcript`);
    expect(transcript.messages).toHaveLength(6);
    expect(transcript.messages[3]!.toolCalls[0]).toMatchObject({ name: "read_file" });
    const lineage = await get<LineageAnswer>(`/sessions/${demo.project.delegated}/lineage`);
    expect(lineage.nodes.map(({ id, kind }) => [id, kind])).toEqual([
      [demo.project.root, "root"],
      [demo.project.second, "compression"],
      [demo.project.delegated, "delegate"],
      [demo.project.tip, "compression"],
      [demo.project.branch, "branch"],
    ]);
    const { session } = await get<{ session: Record<string, unknown> }>(`/sessions/${demo.project.tip}`);
    expect(session).toMatchObject({ title: "Moving the shop to TypeScript #3", ended_at: null });

    const found = await get<SearchAnswer>("/search?q=typescr");
    expect(found.hits[0]!.snippet).toContain(">>>TypeScript<<<");
    expect(found.titles.map(({ id }) => id)).toContain(demo.project.tip);
    expect((await get<SearchAnswer>("/search?q=nobodysaidthis")).hits).toEqual([]);

    const usage = await get<UsageAnswer>("/usage?days=30&by=model");
    expect(usage.days).toHaveLength(30);
    expect(usage.total.sessions).toBe(demo.sessions);
    expect(usage.byDay.reduce((sum, row) => sum + row.sessions, 0)).toBe(demo.sessions);
    const onSlack = await get<UsageAnswer>("/usage?days=30&source=slack");
    expect(onSlack.platforms.map(({ name }) => name)).toEqual(["slack"]);

    const { messages } = await get<MessagesAnswer>("/messages?limit=3");
    expect(messages[0]).toMatchObject({ state: "refused", reason: "pairing: code sent" });
    expect(messages[1]).toMatchObject({ state: "done", delivery: "sent" });
    const { traces } = await get<TraceAnswer>(`/trace/in:${messages[1]!.id}`);
    expect(traces[0]!.steps.map(({ what }) => what)).toEqual([
      "sent by the user",
      "accepted",
      "turn started",
      "done",
      "answer stored",
      "answer sent",
    ]);
    const dead = await get<DeadAnswer>("/dead?limit=2");
    expect([dead.letters.length, dead.next === null]).toEqual([2, false]);
    expect((await get<DeadAnswer>(`/dead?before=${dead.next}`)).letters).toHaveLength(1);
    const pairing = await get<PairingAnswer>("/pairing");
    expect(pairing.pending.map(({ userName }) => userName)).toEqual(["Nora Lindqvist", "ravi_k"]);
    expect(JSON.stringify(pairing)).not.toMatch(/hash|salt/);
  });

  it("list tool calls, with filters", async () => {
    const { get, daemon } = await startDashboard();
    await new WebClient(daemon.url, { token: TOKEN }).send('!tool session_search {"query":"x"}');
    const path = "/audit?tool=session_search&platform=web&state=done";
    await until("the call is there", async () => (await get<AuditAnswer>(path)).calls.length > 0);
    const { calls, next } = await get<AuditAnswer>(path);
    expect(calls).toMatchObject([
      { tool: "session_search", platform: "web", state: "done", decidedBy: null },
    ]);
    expect(next).toBeNull();
    expect((await get<AuditAnswer>("/audit?state=denied")).calls).toEqual([]);
  });

  it("show what is in force without its secrets, and where it comes from", async () => {
    const yaml = `http: {token: ${TOKEN}}\nmodel: {provider: openai, default: m, api_key: sk-very-secret-key-indeed}\n`;
    const { get } = await startDashboard({ yaml });
    const config = await get<ConfigAnswer>("/config");
    const of = (path: string) => config.values.find((value) => value.path === path);
    expect(of("model.provider")).toEqual({
      path: "model.provider",
      value: "openai",
      source: "config.yaml:2",
    });
    expect(of("http.port")).toMatchObject({ source: "flag" });
    expect(of("timezone")).toMatchObject({ source: "default" });
    expect(JSON.stringify(config)).not.toContain("very-secret");
    expect(JSON.stringify(config)).not.toContain(TOKEN);
  });

  it("reject invalid parameters, and say which", async () => {
    const shown = common();
    const status = async (path: string) => {
      const { status: code, text } = await shown.ask(`/api/dashboard${path}`);
      return [code, (JSON.parse(text) as { error: { code: string } }).error.code];
    };
    expect(await status("/sessions?limit=0")).toEqual([400, "invalid"]);
    expect(await status("/sessions?limit=100000")).toEqual([400, "invalid"]);
    expect(await status("/sessions?before=nonsense")).toEqual([400, "invalid"]);
    expect(await status("/sessions?state=odd")).toEqual([400, "invalid"]);
    expect(await status("/audit?state=odd")).toEqual([400, "invalid"]);
    expect(await status("/sessions/nobody")).toEqual([404, "not_found"]);
    expect(await status("/sessions/nobody/transcript")).toEqual([404, "not_found"]);
    expect(await status("/search")).toEqual([400, "invalid"]);
    expect(await status("/search?q=a&offset=99999")).toEqual([400, "invalid"]);
    expect(await status("/trace/in:99999")).toEqual([404, "not_found"]);
    expect(await status("/nothing")).toEqual([404, "not_found"]);
    const retry = (body: string, headers: Record<string, string> = { "content-type": "application/json" }) =>
      shown.ask("/api/dashboard/dead/retry", { method: "POST", headers, body });
    expect((await retry('{"id":"in:99999"}')).status).toBe(404);
    expect((await retry('{"id":"everything"}')).status).toBe(400);
    expect((await retry("{}")).status).toBe(400);
    expect((await retry('{"id":"in:1"}', { "content-type": "text/plain" })).status).toBe(400);
  });
});

describe("an abandoned search", () => {
  it("is not begun, and is no fault", async () => {
    const { daemon } = common();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const search = (signal?: AbortSignal) =>
      fetch(`${daemon.url}/api/dashboard/search?q=the`, { headers, ...(signal ? { signal } : {}) });
    const gone = Array.from({ length: 20 }, () => {
      const typed = new AbortController();
      const asked = search(typed.signal).then(
        () => "answered",
        () => "cancelled",
      );
      setImmediate(() => typed.abort());
      return asked;
    });
    expect(await Promise.all(gone)).toContain("cancelled");
    expect((await search()).status).toBe(200);
    expect(daemon.run.logged("a request failed")).toEqual([]);
  });
});

describe("who may look", () => {
  it("is anyone with the token; requests from other sites are refused", async () => {
    const { daemon, demo, ask: asOwner } = await startDashboard();
    const paths = [
      "/dashboard",
      "/dashboard/sessions",
      "/api/dashboard/overview",
      "/api/dashboard/audit",
      "/api/dashboard/live",
    ];
    for (const path of paths) {
      expect((await ask(daemon.url + path)).status, path).toBe(401);
      expect(
        (await ask(daemon.url + path, { headers: { authorization: "Bearer wrong" } })).status,
        path,
      ).toBe(401);
    }
    const post = { method: "POST", body: '{"id":"ask-nora"}' };
    const json = { "content-type": "application/json" };
    const foreign = { ...json, origin: "https://evil.example" };
    expect((await asOwner("/api/dashboard/pairing/approve", { ...post, headers: foreign })).status).toBe(403);
    const own = { ...json, origin: daemon.url };
    expect((await asOwner("/api/dashboard/pairing/approve", { ...post, headers: own })).status).toBe(200);
    const [line] = daemon.run.logged("operator");
    expect(line).toMatchObject({ action: "approve", id: "ask-nora" });
    const again = { ...post, headers: own };
    expect((await asOwner("/api/dashboard/pairing/approve", again)).status).toBe(404);
    await asOwner(`/api/dashboard/sessions/${demo.newest}/export`);
    const recorded = JSON.parse((await asOwner("/api/dashboard/audit/actions")).text) as ActionsAnswer;
    expect(recorded).toMatchObject({
      actions: [
        { action: "export", who: "owner", outcome: "done", from: "127.0.0.1" },
        { action: "pairing/approve", outcome: "not_found", fields: "{}" },
        { action: "approve", who: "owner", outcome: "done", fields: '{"id":"ask-nora"}' },
      ],
      next: null,
    });
    const listed = await runHermes(daemon.home, ["audit", "--operator"]);
    expect(listed.stdout).toMatch(/owner +127\.0\.0\.1 +approve +done +\{"id":"ask-nora"\}/);
    expect((await runHermes(daemon.home, ["audit", "--operator", "--tool", "x"])).code).toBe(2);
  });

  it("needs the owner's own token where none is configured; the web chat needs none", async () => {
    const daemon = await new Daemon().start();
    const file = daemon.file("dashboard.token");
    expect((fs.statSync(file).mode & 0o777).toString(8)).toBe("600");
    const token = fs.readFileSync(file, "utf8").trim();
    expect((await ask(`${daemon.url}/`)).status).toBe(200);
    expect((await ask(`${daemon.url}/api/dashboard/sessions`)).status).toBe(401);
    const login = await ask(`${daemon.url}/dashboard/usage?days=7`, { headers: { accept: "text/html" } });
    expect([login.status, login.headers.location]).toEqual([
      302,
      "/login?next=%2Fdashboard%2Fusage%3Fdays%3D7",
    ]);
    const form = new URLSearchParams({ token, next: "/dashboard/usage?days=7" }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const back = await ask(`${daemon.url}/login`, { method: "POST", headers, body: form });
    expect([back.status, back.headers.location]).toEqual([303, "/dashboard/usage?days=7"]);
    const cookie = back.headers["set-cookie"]![0]!.split(";", 1)[0]!;
    expect((await ask(`${daemon.url}/api/dashboard/sessions`, { headers: { cookie } })).status).toBe(200);
    await daemon.restart();
    expect((await ask(`${daemon.url}/api/dashboard/sessions`, { headers: { cookie } })).status).toBe(200);
  });

  it("is led back to places of ours alone", async () => {
    const { daemon } = common();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    for (const next of [
      "//evil.example",
      "/\\evil.example",
      "https://evil.example",
      '/"><script>',
      "javascript:x",
      "",
    ]) {
      const body = new URLSearchParams({ token: TOKEN, next }).toString();
      const answer = await ask(`${daemon.url}/login`, { method: "POST", headers, body });
      expect(answer.headers.location, next).toBe("/");
      const page = await ask(`${daemon.url}/login?${new URLSearchParams({ next })}`);
      expect(page.text).toContain('name="next" value="/"');
    }
  });

  it("gets files that browsers keep, under a policy that allows nothing inline", async () => {
    const { ask: asOwner } = common();
    const page = await asOwner("/dashboard/sessions/some/where");
    expect([page.status, page.headers["cache-control"]]).toEqual([200, "no-cache"]);
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'; style-src 'self'");
    const script = /src="(\/dashboard\/assets\/[^"]+\.js)"/.exec(page.text)![1]!;
    const file = await asOwner(script);
    expect([file.status, file.headers["cache-control"]]).toEqual([
      200,
      "private, max-age=31536000, immutable",
    ]);
    const etag = file.headers.etag!;
    expect((await asOwner(script, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect(
      (await asOwner(script, { headers: { "accept-encoding": "gzip" } })).headers["content-encoding"],
    ).toBe("gzip");
    expect((await asOwner("/dashboard/assets/../../package.json")).status).toBe(404);
    expect((await asOwner("/dashboard/assets/nothing.js")).status).toBe(404);
  });
});

describe("live", () => {
  it("tells what happens, when it happens", async () => {
    const { daemon } = await startDashboard();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const events = await EventReader.open(`${daemon.url}/api/dashboard/live`, headers);
    const first = (await events.next("overview")).data as unknown as Overview;
    const ann = new WebClient(daemon.url, { token: TOKEN });
    await ann.send("hello");
    const seen = await until("a message is seen", async () => {
      const now = (await events.next("overview")).data as unknown as Overview;
      return now.lastMinute.sent > first.lastMinute.sent && now;
    });
    expect(seen.marks.inbox).toBe(first.marks.inbox + 1);
    events.close();
  });

  it("has room for so many pages, and takes a new one when one has left", async () => {
    const { daemon } = await startDashboard();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const open = () => EventReader.open(`${daemon.url}/api/dashboard/live`, headers);
    const pages = await Promise.all(Array.from({ length: 32 }, open));
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
    await Promise.all(pages.map((page) => page.next("overview")));
    expect((await open()).status).toBe(503);
    pages[0]!.close();
    await until("there is room again", async () => {
      const page = await open();
      return page.status === 200;
    });
    expect(await daemon.stop()).toBe(0);
  });
});

describe("what is being typed", () => {
  it("finds words from their beginning, unless it says otherwise", () => {
    expect(asTyped("dock")).toBe("dock*");
    expect(asTyped("docker sw")).toBe("docker sw*");
    for (const same of [
      "d",
      "docker ",
      "docker*",
      '"docker sw',
      '"docker"',
      "docker AND",
      "docker not",
      "a.b-c",
      "C++",
    ])
      expect(asTyped(same)).toBe(same);
  });
});
