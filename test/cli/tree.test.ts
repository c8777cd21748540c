import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawLineage } from "../../src/cli/sessions/tree.js";
import type { Lineage, LineageNode } from "../../src/store/store.js";

const NOW = 1_781_600_000;

function node(id: string, parent: string | null, fields: Partial<LineageNode> = {}): LineageNode {
  return {
    id,
    title: null,
    source: "cli",
    started_at: NOW - 3600,
    ended_at: null,
    end_reason: null,
    message_count: 2,
    parent_session_id: parent,
    kind: parent === null ? "root" : "compression",
    ...fields,
  };
}

describe("the lineage", () => {
  it("is drawn as a tree, with the asked session and the tip marked", () => {
    const lineage: Lineage = {
      ancestors: [node("a", null, { title: "my project" })],
      session: node("b", "a", { title: "my project #2" }),
      descendants: [
        node("c", "b", { title: "a side way", kind: "branch" }),
        node("e", "c", { kind: "delegate" }),
        node("d", "b", { title: "my project #3", message_count: 1234 }),
      ],
      tip: "d",
    };
    expect(drawLineage(lineage, NOW).split("\n")).toEqual([
      "my project  a  root · cli · 2 messages · 1h ago",
      "└─ my project #2  b  compression · cli · 2 messages · 1h ago  ◀ asked",
      "   ├─ a side way  c  branch · cli · 2 messages · 1h ago",
      "   │  └─ —  e  delegate · cli · 2 messages · 1h ago",
      "   └─ my project #3  d  compression · cli · 1234 messages · 1h ago  ★ tip",
    ]);
  });

  it("marks a session that is its own tip twice", () => {
    const line = drawLineage({ ancestors: [], session: node("a", null), descendants: [], tip: "a" }, NOW);
    expect(line).toMatch(/◀ asked ★ tip$/);
  });

  it("draws every session exactly once, also where a parent is missing", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(30)), { maxLength: 30 }), (parents) => {
        const nodes = parents.map((parent, index) =>
          node(`s${index}.`, parent === null ? null : parentId(parent, index)),
        );
        const session = node("asked.", null);
        const drawn = drawLineage({ ancestors: [], session, descendants: nodes, tip: "asked." }, NOW).split(
          "\n",
        );
        const ids = drawn.map((line) => /(s\d+|asked)\./.exec(line)?.[0]).sort();
        expect(ids).toEqual([session, ...nodes].map(({ id }) => id).sort());
      }),
    );
  });
});

/** An earlier node, or one that isn't part of the drawing: never a circle. */
function parentId(parent: number, index: number): string {
  return parent < index ? `s${parent}.` : "elsewhere";
}
