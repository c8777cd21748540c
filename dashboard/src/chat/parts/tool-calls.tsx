import type { ToolCall } from "../../../../src/adapters/web/api.js";
import { duration, indentedJson } from "../../format.js";
import { Icon } from "../../parts/icons.js";

export function ToolCalls({ calls }: { calls: readonly ToolCall[] }) {
  return (
    <>
      {calls.map((call) => (
        <Call key={call.callId} call={call} />
      ))}
    </>
  );
}

/** A collapsed tool call: name, main argument and outcome. */
function Call({ call }: { call: ToolCall }) {
  const { tool, args, state, result, seconds } = call;
  return (
    <details class="tool" data-state={state}>
      <summary>
        {state === "running" ? <span class="spinner" aria-hidden="true" /> : null}
        {state === "running" ? null : <Icon name={state === "done" ? "check" : "warning"} small />}
        <b>{tool}</b>
        <span class="tool-gist">{summaryOf(args)}</span>
        <span class="unseen">{state}</span>
        {seconds === null ? null : <span class="quiet">{duration(seconds)}</span>}
        <Icon name="chevron" small />
      </summary>
      <div class="tool-body">
        <p>Arguments</p>
        <Scrolling text={indentedJson(args)} />
        {result === null ? null : (
          <>
            <p>Result</p>
            <Scrolling text={indentedJson(result)} />
          </>
        )}
      </div>
    </details>
  );
}

function Scrolling({ text }: { text: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
  return <pre tabIndex={0}>{text}</pre>;
}

/** The first string among the arguments, as a summary. */
function summaryOf(args: string): string {
  const values = Object.values((parsed(args) ?? {}) as object);
  const first = values.find((value): value is string => typeof value === "string") ?? "";
  return first.slice(0, 120);
}

function parsed(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    // The server truncates long JSON.
    return undefined;
  }
}
