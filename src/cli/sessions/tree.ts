import type { Lineage, LineageNode } from "../../store/store.js";
import { cellWidth, oneLine } from "../cells.js";
import { fitted } from "../fit.js";
import { counted } from "../numbers.js";
import { colors } from "../output.js";
import { relativeTime } from "../times.js";

type Label = (node: LineageNode, indent: number) => string;

/** A session's family tree, with the requested one and the tip marked. */
export function drawLineage(lineage: Lineage, now: number): string {
  const nodes = [...lineage.ancestors, lineage.session, ...lineage.descendants];
  const known = new Set(nodes.map((node) => node.id));
  const label: Label = (node, indent) => nodeLabel(node, lineage, now, indent);
  // A child whose parent wasn't read becomes a root, so that nothing is missing from the drawing.
  const roots = nodes.filter(({ parent_session_id: parent }) => parent === null || !known.has(parent));
  return roots.flatMap((root) => [label(root, 0), ...drawChildren(root.id, nodes, label, "")]).join("\n");
}

function drawChildren(parent: string, nodes: readonly LineageNode[], label: Label, indent: string): string[] {
  const children = nodes.filter((node) => node.parent_session_id === parent);
  return children.flatMap((child, index) => {
    const last = index === children.length - 1;
    const below = drawChildren(child.id, nodes, label, indent + (last ? "   " : "│  "));
    return [`${indent}${last ? "└─" : "├─"} ${label(child, indent.length + 3)}`, ...below];
  });
}

function nodeLabel(node: LineageNode, { session, tip }: Lineage, now: number, indent: number): string {
  const facts = [
    node.kind,
    node.source,
    counted(node.message_count, "message"),
    relativeTime(node.started_at, now),
  ];
  const marks = [...(node.id === session.id ? ["◀ asked"] : []), ...(node.id === tip ? ["★ tip"] : [])];
  const about = oneLine(facts.join(" · "));
  const mark = marks.join(" ");
  const used = indent + cellWidth(`  ${node.id}  ${about}  ${mark}`);
  const line = `${colors.bold(fitted(oneLine(node.title || "—"), used))}  ${node.id}  ${colors.dim(about)}`;
  return mark === "" ? line : `${line}  ${colors.green(mark)}`;
}
