import { duration } from "../../format.js";
import { Markdown } from "../../markdown/markdown.js";
import { now } from "../../state/clock.js";
import { turnBegan } from "../state/open.js";
import type { ShownTurn } from "../state/thread.js";
import { ToolCalls } from "./tool-calls.js";

/** The answer that is being written. */
export function LiveAnswer({ turn }: { turn: ShownTurn }) {
  return (
    <article class="message agent live" aria-label="Hermes" aria-busy={!turn.ended}>
      <ToolCalls calls={turn.tools} />
      {turn.text ? <Markdown text={turn.text} /> : null}
      {turn.ended ? null : <Progress turn={turn} />}
    </article>
  );
}

function Progress({ turn }: { turn: ShownTurn }) {
  const running = turn.tools.findLast(({ state }) => state === "running");
  return (
    <p class="progress">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span role="status">{statusOf(turn, running?.tool)}</span>
      <Elapsed />
    </p>
  );
}

function statusOf(turn: ShownTurn, tool: string | undefined): string {
  if (turn.waiting) return "Waiting for your decision";
  if (tool) return `Using ${tool}`;
  return turn.text ? "Writing" : "Thinking";
}

/** Outside of the status element, so that screen readers don't announce it every second. */
function Elapsed() {
  const seconds = Math.floor(now.value - turnBegan.value / 1000);
  return seconds < 1 ? null : <span class="quiet">{duration(seconds)}</span>;
}
