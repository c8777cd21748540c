import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Content, MessageRow } from "../../src/session.js";
import { openStore } from "../../src/store/sqlite/index.js";
import type { ExportedSession, Store } from "../../src/store/store.js";
import { collect } from "../support/collect.js";
import { readRows } from "../support/old-schemas.js";
import { tempStore } from "../support/temp.js";

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom("漓江", "", " ", "\0", "\0json:[1", "nul \0 inside", '"', "#2", "__proto__"),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const json = fc.jsonValue({ depthSize: "small", stringUnit: "binary" });
const content: fc.Arbitrary<Content> = fc.oneof(
  text,
  fc.constant(null),
  fc.array(json, { maxLength: 3 }),
  fc.dictionary(text, json, { maxKeys: 3 }),
);
/** Numbers beyond 2^53 stand in the file as text; parsed, they would change. */
const toolCalls: fc.Arbitrary<unknown> = fc.oneof(
  fc.constant(null),
  fc.array(json, { minLength: 1, maxLength: 2 }).map((list) => JSON.parse(JSON.stringify(list)) as unknown[]),
  fc.constantFrom(
    '[{"id": 12345678901234567890}]',
    '[{"function": {"name": "f", "arguments": "{\\"n\\": 9223372036854775807}"}, "n": -9223372036854775808}]',
    "[0.12345678901234567890123]",
    "[1e400, 1e-400]",
  ),
);
const time = fc.double({ min: 0, max: 2e9, noNaN: true });

type Plain = Omit<ExportedSession, "messages"> & { messages: MessageRow[] };

const message = fc.record({
  role: fc.constantFrom("user", "assistant", "tool", "system", "session_meta"),
  content,
  tool_calls: toolCalls,
  tool_call_id: maybe(text),
  tool_name: maybe(text),
  timestamp: time,
  token_count: maybe(fc.nat()),
  finish_reason: maybe(text),
  reasoning: maybe(text),
  reasoning_content: maybe(text),
  reasoning_details: maybe(text),
  codex_reasoning_items: maybe(text),
  codex_message_items: maybe(text),
  platform_message_id: maybe(text),
  observed: fc.constantFrom(0, 1),
  active: fc.constantFrom(0, 1),
});

const session = fc.record({
  source: text,
  user_id: maybe(text),
  model: maybe(text),
  model_config: maybe(text),
  system_prompt: maybe(text),
  started_at: time,
  ended_at: maybe(time),
  end_reason: maybe(text),
  message_count: fc.nat(),
  tool_call_count: fc.nat(),
  input_tokens: fc.nat(),
  output_tokens: fc.nat(),
  cache_read_tokens: fc.nat(),
  cache_write_tokens: fc.nat(),
  reasoning_tokens: fc.nat(),
  billing_provider: maybe(text),
  billing_base_url: maybe(text),
  billing_mode: maybe(text),
  estimated_cost_usd: maybe(time),
  actual_cost_usd: maybe(time),
  cost_status: maybe(text),
  cost_source: maybe(text),
  pricing_version: maybe(text),
  api_call_count: fc.nat(),
  cwd: maybe(text),
  rewind_count: fc.nat(),
  archived: fc.constantFrom(0, 1),
  messages: fc.array(message, { maxLength: 6 }),
  parent: fc.nat(12),
  titled: fc.boolean(),
});

/** Sessions in any order: a parent may come after its child. */
const history: fc.Arbitrary<Plain[]> = fc.array(session, { maxLength: 10 }).map((sessions) => {
  let id = 0;
  return sessions.map(({ parent, titled, messages, ...row }, i) => ({
    ...row,
    id: `s${i}`,
    parent_session_id: parent < sessions.length && parent !== i ? `s${parent}` : null,
    title: titled ? `title ${i % 3} #${i}` : null,
    messages: messages.map((one) => {
      id += 3;
      return { ...one, id, session_id: `s${i}` } as MessageRow;
    }),
  }));
});

async function empty(store: Store): Promise<void> {
  for await (const { id } of store.exportSessions()) await store.deleteSessions([id]);
}

const exported = (store: Store) => collect(store.exportSessions());

describe("export and import", () => {
  it("round-trip random histories", async () => {
    const { store: first, file: firstFile } = await tempStore();
    const { store: second, file: secondFile } = await tempStore();
    await fc.assert(
      fc.asyncProperty(history, async (sessions) => {
        for (const store of [first, second]) await empty(store);
        expect(await first.importSessions(sessions)).toEqual({ imported: sessions.length, skipped: 0 });
        const lines = await exported(first);
        // Through text, as in a file.
        const read = lines.map((line) => JSON.parse(JSON.stringify(line)) as ExportedSession);
        await second.importSessions(read);
        expect(await exported(second)).toEqual(lines);
        for (const table of ["sessions", "messages"]) {
          expect(readRows(secondFile, table)).toEqual(readRows(firstFile, table));
        }
        expect(lines.map((line) => line.id).sort()).toEqual(sessions.map((row) => row.id).sort());
        for (const row of sessions) expectSame(lines.find((line) => line.id === row.id)!, row);
      }),
      { numRuns: 25 },
    );
    expect(await second.maintenance.check()).toEqual({ ok: true, problems: [] });
  });

  it("keep long numbers to the last digit", async () => {
    const { store } = await tempStore();
    const numbers = [12345678901234567890n, -9223372036854775808n, 9007199254740993n];
    const calls = numbers.map((n) => `[{"id": ${n}}]`);
    const structured = `\0json:[{"id": ${numbers[0]}}]`;
    await store.importSessions([
      {
        id: "s",
        source: "cli",
        started_at: 1,
        messages: [
          ...calls.map((tool_calls, i) => ({ id: i + 1, role: "assistant", timestamp: i, tool_calls })),
          { id: 9, role: "user", timestamp: 9, content: structured },
        ],
      } as unknown as ExportedSession,
    ]);
    const { store: second, file } = await tempStore();
    const lines = (await exported(store)).map((line) => JSON.parse(JSON.stringify(line)) as ExportedSession);
    await second.importSessions(lines);
    const rows = readRows(file, "messages", ["tool_calls", "content"]);
    expect(rows.map((row) => row.tool_calls)).toEqual([...calls, null]);
    expect(rows.at(-1)?.content).toBe(structured);
  });

  it("can be limited to a source or one id", async () => {
    const { store } = await tempStore();
    for (const [id, source] of [
      ["a", "cli"],
      ["b", "telegram"],
      ["c", "cli"],
    ] as const) {
      await store.createSession({ id, source, started_at: 1 });
    }
    const ids = async (query: Parameters<Store["exportSessions"]>[0]) =>
      (await collect(store.exportSessions(query))).map((line) => line.id);
    expect(await ids({ source: "cli" })).toEqual(["a", "c"]);
    expect(await ids({ sessionId: "b" })).toEqual(["b"]);
    expect(await ids({ sessionId: "nobody" })).toEqual([]);
    expect(await store.exportSessions({ source: "cli" }).total()).toBe(2);
    expect(await store.exportSessions().total()).toBe(3);
    expect(await store.exportSessions({ sessionId: "nobody" }).total()).toBe(0);
  });
});

/** The times and numbers of a session and its messages, as they were given. */
function expectSame(line: ExportedSession, row: Plain): void {
  const { last_active, messages, ...rest } = line;
  const { messages: given, ...expected } = row;
  expect(rest).toEqual(expected);
  expect(messages).toHaveLength(given.length);
  messages.forEach((one, i) => {
    expect(JSON.stringify(one)).toBe(JSON.stringify({ ...one, ...given[i] }));
  });
}

const line = (id: string, more: object = {}) =>
  ({ id, source: "cli", started_at: 1, messages: [], ...more }) as unknown as ExportedSession;
const saying = (content: string, more: object = {}) => ({ role: "user", content, timestamp: 1, ...more });

describe("an import", () => {
  it("skips existing sessions", async () => {
    const { store } = await tempStore();
    const lines = [line("a", { messages: [saying("walrus")] }), line("b")];
    expect(await store.importSessions(lines)).toEqual({ imported: 2, skipped: 0 });
    const before = await exported(store);
    expect(await store.importSessions(lines)).toEqual({ imported: 0, skipped: 2 });
    expect(await store.importSessions([line("a", { source: "x" }), line("c")])).toEqual({
      imported: 1,
      skipped: 1,
    });
    expect((await exported(store)).filter((one) => one.id !== "c")).toEqual(before);
    expect((await store.searchMessages("walrus")).hits).toHaveLength(1);
  });

  it("counts messages and tool calls if a line doesn't", async () => {
    const { store } = await tempStore();
    const messages = [
      saying("look it up"),
      saying("", { role: "assistant", tool_calls: [{ id: "1" }, { id: "2" }] }),
      saying("", { role: "assistant", tool_calls: '[{"id": 12345678901234567890}]' }),
      saying("taken back", { active: 0 }),
    ];
    await store.importSessions([
      line("bare", { messages }),
      line("counted", { message_count: 7, tool_call_count: 0, messages }),
    ]);
    expect(await store.getSession("bare")).toMatchObject({ message_count: 4, tool_call_count: 3 });
    expect(await store.getSession("counted")).toMatchObject({ message_count: 7, tool_call_count: 0 });
  });

  it("gives a title in use the next number", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "mine", source: "cli", title: "plan" });
    await store.importSessions([
      line("a", { title: "plan" }),
      line("b", { title: "plan" }),
      line("c", { title: "free" }),
    ]);
    const titles = (await exported(store)).map(({ id, title }) => [id, title]);
    expect(Object.fromEntries(titles)).toEqual({ mine: "plan", a: "plan #2", b: "plan #3", c: "free" });
  });

  it("gives a message a new id if its own is taken", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "mine", source: "cli" });
    await store.appendMessages("mine", [{ role: "user", content: "mine" }]);
    await store.importSessions([
      line("a", { messages: [saying("theirs", { id: 1 }), saying("far", { id: 9_000_000_000 })] }),
    ]);
    expect((await store.getMessages("a")).map(({ id, content }) => [id, content])).toEqual([
      [2, "theirs"],
      [9_000_000_000, "far"],
    ]);
    expect((await store.searchMessages("far")).hits).toHaveLength(1);
    // Whoever goes through all ids must not count up to there.
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });
    await store.maintenance.optimize();
    await store.maintenance.repair();
  });

  it("finds parents that come later, in another batch too", async () => {
    const { store } = await tempStore();
    const many = Array.from({ length: 150 }, (_, i) => saying(`m${i}`));
    const lines = [
      line("child", { parent_session_id: "root", messages: many }),
      line("root", { messages: many }),
    ];
    await store.importSessions([...lines, line("lost", { parent_session_id: "nobody" })]);
    expect(await store.getSession("child")).toMatchObject({ parent_session_id: "root" });
    expect(await store.getSession("lost")).toMatchObject({ parent_session_id: null });
  });
});

describe("an invalid import", () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-test-"));
  let store: Store;
  beforeAll(async () => {
    store = await openStore({ path: path.join(dir, "state.db"), threads: false });
  });
  afterAll(async () => {
    await store.close();
    fs.rmSync(dir, { recursive: true });
  });

  it.each([
    ["no object", null],
    ["a text", "hello"],
    ["a list", []],
    ["no id", line("x", { id: undefined })],
    ["no source", line("x", { source: 5 })],
    ["no start", line("x", { started_at: "yesterday" })],
    ["no messages", line("x", { messages: undefined })],
    ["messages that are no list", line("x", { messages: {} })],
    ["a message without a role", line("x", { messages: [{ timestamp: 1 }] })],
    ["a message without a time", line("x", { messages: [{ role: "user" }] })],
    ["a message that is none", line("x", { messages: [null] })],
    ["a column that holds a list", line("x", { user_id: ["u"] })],
    ["a column that holds a truth", line("x", { archived: true })],
    ["a message's column that holds an object", line("x", { messages: [saying("a", { tool_name: {} })] })],
    ["a message's number that is no number", line("x", { messages: [saying("a", { id: "first" })] })],
    ["a message's number beyond all counting", line("x", { messages: [saying("a", { id: 2 ** 63 })] })],
    ["an empty column that must not be", line("x", { messages: [saying("a", { active: null })] })],
  ])("is refused: %s; nothing of the batch is kept", async (_, bad) => {
    const error = await store
      .importSessions([line("good"), bad as ExportedSession])
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "HermesError", code: "invalid", hint: expect.any(String) });
    expect(error.message).toMatch(/^Not an exported session: /);
    expect(await store.exportSessions().total()).toBe(0);
  });
});
