import type { LineageNode } from "../../../src/http/dashboard/types.js";

export interface Drawn {
  node: LineageNode;
  lane: number;
  row: number;
  parent: Drawn | undefined;
}

/**
 * One row per session. The continuation of a session stays in its lane and comes after its branches, so that no branch
 * crosses the line down.
 */
export function layOut(nodes: readonly LineageNode[]): Drawn[] {
  const known = new Set(nodes.map(({ id }) => id));
  const children = new Map<string, LineageNode[]>();
  for (const node of nodes) {
    const parent = node.parent_session_id ?? "";
    children.set(parent, [...(children.get(parent) ?? []), node]);
  }
  const drawn: Drawn[] = [];
  const stack = nodes
    .filter(({ parent_session_id: parent }) => parent === null || !known.has(parent))
    .map((node) => ({ node, lane: 0, parent: undefined as Drawn | undefined }))
    .reverse();
  for (let next = stack.pop(); next; next = stack.pop()) {
    const one = { ...next, row: drawn.length };
    drawn.push(one);
    const below = children.get(one.node.id) ?? [];
    const isNext = ({ kind }: LineageNode) => kind === "compression";
    const ordered = [...below.filter((node) => !isNext(node)), ...below.filter(isNext)];
    const placed = ordered.map((node) => ({
      node,
      lane: isNext(node) ? one.lane : one.lane + 1,
      parent: one,
    }));
    stack.push(...placed.reverse());
  }
  return drawn;
}
