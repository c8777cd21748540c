import type { Lineage, LineageNode } from "../../store/store.js";
import { oneLine } from "../cells.js";
import { counted } from "../numbers.js";
import { colors } from "../output.js";
import { relativeTime } from "../times.js";

/** The family of a session, one line each, with the asked one and the tip marked. */
export function drawLineage(lineage: Lineage, now: number): string {
  const nodes = [...lineage.ancestors, lineage.session, ...lineage.descendants];
  const known = new Set(nodes.map((node) => node.id));
  const label = (node: LineageNode) => nodeLabel(node, lineage, now);
  // A parent outside of what was read makes its child a root: nothing is ever left out of the drawing.
  const roots = nodes.filter(({ parent_session_id: parent }) => parent === null || !known.has(parent));
  return roots.flatMap((root) => [label(root), ...drawChildren(root.id, nodes, label, "")]).join("\n");
}

function drawChildren(
  parent: string,
  nodes: readonly LineageNode[],
  label: (node: LineageNode) => string,
  indent: string,
): string[] {
  const children = nodes.filter((node) => node.parent_session_id === parent);
  return children.flatMap((child, index) => {
    const last = index === children.length - 1;
    const below = drawChildren(child.id, nodes, label, indent + (last ? "   " : "│  "));
    return [`${indent}${last ? "└─" : "├─"} ${label(child)}`, ...below];
  });
}

function nodeLabel(node: LineageNode, { session, tip }: Lineage, now: number): string {
  const facts = [
    node.kind,
    node.source,
    counted(node.message_count, "message"),
    relativeTime(node.started_at, now),
  ];
  const marks = [...(node.id === session.id ? ["◀ asked"] : []), ...(node.id === tip ? ["★ tip"] : [])];
  const title = colors.bold(oneLine(node.title || "—"));
  const line = `${title}  ${node.id}  ${colors.dim(oneLine(facts.join(" · ")))}`;
  return marks.length === 0 ? line : `${line}  ${colors.green(marks.join(" "))}`;
}
