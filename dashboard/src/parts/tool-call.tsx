/** Tool calls of the audit, the traces and the transcripts. */
import type { ComponentChildren } from "preact";
import type { NamedToolCall } from "../../../src/http/dashboard/audit-types.js";
import { indentedJson } from "../format.js";
import { Badge, type Tone } from "./badges.js";

const STATES: Record<NamedToolCall["state"], [string, Tone]> = {
  waiting: ["Waiting", "wait"],
  running: ["Running", "accent"],
  done: ["Done", "good"],
  failed: ["Failed", "bad"],
  denied: ["Denied", "quiet"],
  unknown: ["Unknown", "bad"],
  stopped: ["Not run", "quiet"],
};

export function CallState({ state }: { state: NamedToolCall["state"] }) {
  const [label, tone] = STATES[state];
  return <Badge tone={tone}>{label}</Badge>;
}

interface ToolCallProps {
  tool: string;
  args: string;
  result: string | null;
  noResult?: string;
  /** Before the tool's name. */
  icon?: ComponentChildren;
  /** After the arguments, in the collapsed line. */
  children?: ComponentChildren;
}

/** A tool call, collapsed to one line. */
export function ToolCall({ tool, args, result, noResult = "No result", icon, children }: ToolCallProps) {
  return (
    <details class="tool">
      <summary>
        {icon}
        <span class="mono">{tool}</span>
        <span class="tool-args mono">{args}</span>
        {children}
      </summary>
      <div class="tool-body">
        <p class="tool-label">Arguments</p>
        <pre class="wrap">{indentedJson(args)}</pre>
        <p class="tool-label">{result === null ? noResult : "Result"}</p>
        {result === null ? null : <pre class="wrap">{indentedJson(result)}</pre>}
      </div>
    </details>
  );
}
