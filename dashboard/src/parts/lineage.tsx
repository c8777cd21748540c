/** The lineage as a tree: a conversation runs straight down, with its branches beside it. */
import type { LineageAnswer, LineageNode } from "../../../src/http/dashboard/types.js";
import { counted } from "../format.js";
import { useFetched } from "../state/fetched.js";
import { href } from "../state/router.js";
import { type Drawn, layOut } from "./lineage-layout.js";
import { Failed } from "./states.js";

const ROW = 52;
const LANE = 24;
const LEFT = 10;
/** Position of a node's dot in its row. */
const DOT = 17;

export function Lineage({ id }: { id: string }) {
  const { data, error, reload } = useFetched<LineageAnswer>(`/sessions/${encodeURIComponent(id)}/lineage`);
  if (error) return <Failed error={error} retry={reload} />;
  if (!data) return null;
  const drawn = layOut(data.nodes);
  return (
    <section class="card lineage" aria-labelledby="lineage">
      <div class="card-head">
        <h2 id="lineage">Lineage</h2>
        <p class="quiet">{drawn.length === 1 ? "no related sessions" : counted(drawn.length, "session")}</p>
      </div>
      <div class="tree">
        <Drawing drawn={drawn} here={id} />
        <ol>
          {drawn.map(({ node }) => (
            <Node key={node.id} node={node} isHere={node.id === id} isTip={node.id === data.tip} />
          ))}
        </ol>
      </div>
      {data.cut ? <p class="quiet">There are more; these are the first {data.nodes.length}.</p> : null}
    </section>
  );
}

const KINDS: Record<LineageNode["kind"], string> = {
  root: "start",
  compression: "after a summary",
  branch: "branch",
  delegate: "delegated",
  child: "child session",
};

function Node({ node, isHere, isTip }: { node: LineageNode; isHere: boolean; isTip: boolean }) {
  return (
    <li>
      <a href={href(`/sessions/${encodeURIComponent(node.id)}`)} aria-current={isHere ? "page" : undefined}>
        {node.title ?? node.id}
      </a>
      <span class="quiet">
        {KINDS[node.kind]}, {counted(node.message_count, "message")}
        {isTip && node.kind !== "root" ? ", newest" : ""}
      </span>
    </li>
  );
}

function Drawing({ drawn, here }: { drawn: readonly Drawn[]; here: string }) {
  const lanes = Math.max(...drawn.map(({ lane }) => lane)) + 1;
  const width = LEFT * 2 + (lanes - 1) * LANE;
  const x = (lane: number) => LEFT + lane * LANE;
  const y = (row: number) => row * ROW + DOT;
  return (
    <svg
      width={width}
      height={drawn.length * ROW}
      viewBox={`0 0 ${width} ${drawn.length * ROW}`}
      aria-hidden="true"
    >
      {drawn
        .toSorted(byWeight)
        .map(({ node, lane, row, parent }) =>
          parent ? (
            <path
              key={`to ${node.id}`}
              d={edge(x(parent.lane), y(parent.row), x(lane), y(row))}
              data-kind={node.kind}
            />
          ) : null,
        )}
      {drawn.map(({ node, lane, row }) => (
        <circle
          key={node.id}
          cx={x(lane)}
          cy={y(row)}
          r={node.id === here ? 6 : 4.5}
          data-here={node.id === here || undefined}
        />
      ))}
    </svg>
  );
}

/** Draws continuations on top of branches. */
const byWeight = (a: Drawn, b: Drawn) =>
  Number(a.node.kind === "compression") - Number(b.node.kind === "compression");

/** A line straight down, or down and around a corner. */
function edge(x1: number, y1: number, x2: number, y2: number): string {
  if (x1 === x2) return `M${x1} ${y1}V${y2}`;
  return `M${x1} ${y1}V${y2 - 12}Q${x1} ${y2} ${x1 + 12} ${y2}H${x2}`;
}
