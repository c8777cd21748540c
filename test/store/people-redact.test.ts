import { describe, expect, it } from "vitest";
import type { StoredMessage } from "../../src/store/sqlite/messages.js";
import {
  ERASED,
  nameBefore,
  quotes,
  redactions,
  rowsOf,
  type SharedRows,
  withoutWords,
  wordsIn,
} from "../../src/store/sqlite/people/redact.js";

let lastId = 0;

function row(role: string, content: string | null, more: Partial<StoredMessage> = {}): StoredMessage {
  const empty = {
    ...{ tool_call_id: null, tool_calls: null, tool_name: null, token_count: null, finish_reason: null },
    ...{ reasoning: null, reasoning_content: null, reasoning_details: null, codex_reasoning_items: null },
    ...{ codex_message_items: null, platform_message_id: null, observed: 0, active: 1, timestamp: 1 },
  };
  return { id: ++lastId, session_id: "s", role, content, ...empty, ...more };
}

const session = (rows: StoredMessage[], more: Partial<SharedRows> = {}): SharedRows => ({
  ...{ id: "s", parentId: null, known: true, rows, belongsToThem: false },
  ...more,
});
const nobody = { authors: new Map<number, boolean>(), messageIds: new Set<string>(), names: [] };

/** The contents as they will be. */
function leftOf(sessions: SharedRows[], names: string[]): (string | null)[][] {
  const theirs = rowsOf(sessions, { ...nobody, names });
  const { changes } = redactions(sessions, theirs, { names, texts: [] });
  const changed = new Map(changes.map((change) => [change.id, change.content]));
  return sessions.map(({ rows }) => rows.map(({ id, content }) => changed.get(id) ?? content));
}

describe("the author of a row", () => {
  it("comes from the stored author before any name", () => {
    const rows = [row("user", "[Ann] one"), row("user", "[Ann] two"), row("user", "[Ben] three")];
    const authors = new Map([
      [rows[0]!.id, true],
      [rows[1]!.id, false],
    ]);
    const theirs = rowsOf([session(rows)], { ...nobody, authors, names: ["Ann"] });
    expect([...theirs]).toEqual([rows[0]!.id]);
  });

  it("is found by the platform's message id, only in the same session", () => {
    const rows = [
      row("user", "one", { platform_message_id: "5" }),
      row("user", "two", { platform_message_id: "5", session_id: "other" }),
    ];
    const theirs = rowsOf([session(rows)], { ...nobody, messageIds: new Set(["s 5"]) });
    expect([...theirs]).toEqual([rows[0]!.id]);
  });

  it("is the same for a copy, even after a summary", () => {
    const original = row("user", "no name before it");
    const copy = row(
      "user",
      "[CONTEXT COMPACTION — REFERENCE ONLY]\nall of it\n--- END OF CONTEXT SUMMARY — respond to the messages below, not to the summary above ---\n\nno name before it",
    );
    const whose = { ...nobody, authors: new Map([[original.id, true]]) };
    expect([...rowsOf([session([original]), session([copy])], whose)]).toEqual([original.id, copy.id]);
  });
});

describe("a redacted shared session", () => {
  it("keeps others' rows and replaces the person's", () => {
    const rows = [
      row("user", "[Ben] hello"),
      row("assistant", "Hello Ben"),
      row("user", "[Late: this was written 5 min before it reached me]\n[Ann] my address is Elm Street 5"),
      row("assistant", "Noted: my address is Elm Street 5"),
      row("user", "[Ben] > my address is Elm Street 5\nnice there"),
      row("assistant", "You both like my address is Elm Street 5, it seems"),
    ];
    expect(leftOf([session(rows)], ["Ann"])).toEqual([
      [
        "[Ben] hello",
        "Hello Ben",
        ERASED,
        ERASED,
        `[Ben] > ${ERASED}\nnice there`,
        `You both like ${ERASED}, it seems`,
      ],
    ]);
  });

  it("keeps the names of called tools without arguments and results", () => {
    const calls = [
      { id: "c1", type: "function", function: { name: "search", arguments: '{"q":"her secret"}' } },
    ];
    const rows = [
      row("user", "[Ann] look it up"),
      row("assistant", null, { tool_calls: JSON.stringify(calls), reasoning: "she wants" }),
      row("tool", "her results", { tool_call_id: "c1", tool_name: "search" }),
    ];
    const theirs = rowsOf([session(rows)], { ...nobody, names: ["Ann"] });
    const { changes } = redactions([session(rows)], theirs, { names: ["Ann"], texts: [] });
    expect(changes).toEqual([
      { id: rows[0]!.id, whole: true, content: ERASED, thoughts: {} },
      {
        id: rows[1]!.id,
        whole: true,
        toolCalls: JSON.stringify([{ ...calls[0], function: { name: "search", arguments: "{}" } }]),
        thoughts: { reasoning: null },
      },
      { id: rows[2]!.id, whole: true, content: ERASED, thoughts: {} },
    ]);
  });

  it("loses summaries about them but keeps the message after a summary", () => {
    const end = "--- END OF CONTEXT SUMMARY — respond to the messages below, not to the summary above ---";
    const start = "[CONTEXT COMPACTION — REFERENCE ONLY]";
    const rows = [row("user", `${start}\nAnn is ill\n${end}\n\n[Ben] go on`), row("assistant", "I do")];
    expect(leftOf([session(rows, { parentId: "p" })], ["Ann"])).toEqual([
      [`${start}\n${ERASED}\n${end}\n\n[Ben] go on`, "I do"],
    ]);
    expect(leftOf([session(rows)], ["Ann"])).toEqual([rows.map(({ content }) => content)]);
  });

  it("loses summaries of sessions that quote them without their name", () => {
    const end = "--- END OF CONTEXT SUMMARY — respond to the messages below, not to the summary above ---";
    const start = "[CONTEXT COMPACTION — REFERENCE ONLY]";
    const texts = ["I live at the mill"];
    const quoting = (quoted: string) => [
      session([row("user", `> ${quoted}\nis that so?`)], { id: "p", known: false }),
      session([row("user", `${start}\nit is about the mill\n${end}\n\ngo on`)], {
        ...{ id: "c", parentId: "p", known: false },
      }),
    ];
    const contents = (sessions: SharedRows[]) =>
      redactions(sessions, new Set(), { names: ["Ann"], texts }).changes.map(({ content }) => content);
    expect(contents(quoting("I live at the mill"))).toEqual([
      `> ${ERASED}\nis that so?`,
      `${start}\n${ERASED}\n${end}\n\ngo on`,
    ]);
    // The first run was cut off between the two.
    expect(contents(quoting(ERASED))).toEqual([`${start}\n${ERASED}\n${end}\n\ngo on`]);
    expect(contents(quoting("something else"))).toEqual([]);
  });

  it("doesn't change when redacted again", () => {
    const rows = [row("user", "[Ann] something of mine"), row("assistant", "something of mine")];
    const once = leftOf([session(rows)], ["Ann"])[0]!;
    const again = rows.map((one, i) => ({ ...one, content: once[i]! }));
    expect(
      redactions([session(again)], new Set([rows[0]!.id]), { names: ["Ann"], texts: [] }).changes,
    ).toEqual([]);
  });

  it("loses notes about changes of their messages", () => {
    const note = `[Note: Ann's earlier message "once a secret word" was edited and now reads "another secret word"]`;
    const rows = [row("user", `${note}\n[Ben] fine`), row("assistant", "So: another secret word")];
    expect(leftOf([session(rows)], ["Ann"])).toEqual([[`[Note: ${ERASED}]\n[Ben] fine`, `So: ${ERASED}`]]);
  });

  it("tolerates a typed note with quotes that aren't JSON", () => {
    const rows = [row("user", `[Ben] [Note: Ann's earlier message "\\q" and "never closed]`)];
    expect(leftOf([session(rows)], ["Ann"])).toEqual([[`[Ben] [Note: ${ERASED}]`]]);
  });
});

describe("their phrases", () => {
  it("are found in text and in JSON, the longest first; short ones only as a whole quote", () => {
    const words = wordsIn(['she said "well then"', "yes", 'she said "well then" and left']);
    expect(withoutWords('a she said "well then" and left b yes', words)).toBe(`a ${ERASED} b yes`);
    expect(withoutWords(JSON.stringify({ a: 'she said "well then"' }), words)).toBe(`{"a":"${ERASED}"}`);
    expect([quotes("yes", words), quotes("yes indeed", words), quotes('said "well then"', words)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("include the name before a message, after notes", () => {
    expect(nameBefore("[Note: x]\n[Ann B.] hello")).toBe("Ann B.");
    expect(nameBefore("hello [Ann] there")).toBe("");
  });
});
