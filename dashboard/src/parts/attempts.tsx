/** The attempts of a turn: model requests and tool calls, with their durations and costs. */
import type { Trace } from "../../../src/http/dashboard/types.js";
import { counted, duration, exactMoney, number } from "../format.js";
import { Badge, type Tone } from "./badges.js";
import { CallState, ToolCall } from "./tool-call.js";

type Attempt = Trace["attempts"][number];
type Call = Attempt["calls"][number];
type Request = Attempt["requests"][number];

const OUTCOMES: Record<string, [string, Tone]> = {
  answered: ["Answered", "good"],
  silent: ["No answer, by choice", "quiet"],
  interrupted: ["Interrupted by the next message", "quiet"],
  stopped: ["Stopped", "quiet"],
  failed: ["Failed", "bad"],
  retrying: ["Failed, retried", "wait"],
  overtaken: ["Superseded", "quiet"],
  suspended: ["Waited for a reply", "wait"],
  released: ["Cut off by a shutdown", "wait"],
  "cut off": ["Cut off by a crash", "bad"],
};

export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <>
      {attempts.map((attempt, i) => (
        <AttemptCard key={attempt.turnId} attempt={attempt} index={i + 1} />
      ))}
    </>
  );
}

function AttemptCard({ attempt, index }: { attempt: Attempt; index: number }) {
  const { turnId, outcome, error, requests, calls, startedAt, endedAt } = attempt;
  const [label, tone] = OUTCOMES[outcome] ?? [outcome, "quiet"];
  const sum = (of: (one: Request) => number) => requests.reduce((total, one) => total + of(one), 0);
  const cost = sum((one) => one.costUsd ?? 0);
  return (
    <section class="card attempt" aria-labelledby={`attempt-${turnId}`}>
      <div class="card-head">
        <h2 id={`attempt-${turnId}`}>Attempt {index}</h2>
        <Badge tone={tone}>{label}</Badge>
      </div>
      {error ? <p class="letter-error">{error}</p> : null}
      <p class="session-facts">
        <span>{duration(Math.max(0, endedAt - startedAt))}</span>
        {attempt.model === null ? null : <span>{attempt.model}</span>}
        <span>{counted(requests.length, "model request")}</span>
        <span>{counted(calls.length, "tool call")}</span>
        <span>
          {number(sum((one) => one.inputTokens))} tokens in, {number(sum((one) => one.outputTokens))} out
        </span>
        {cost > 0 ? <span>{exactMoney(cost)}</span> : null}
      </p>
      <ol class="spans">
        {spansOf(attempt).map((span) => (
          <li key={span.id}>
            {"request" in span ? <RequestSpan request={span.request} /> : <CallSpan call={span.call} />}
            <Bar span={span} attempt={attempt} />
          </li>
        ))}
      </ol>
    </section>
  );
}

type Span = { id: string; from: number; to: number } & ({ request: Request } | { call: Call });

function spansOf({ requests, calls, endedAt }: Attempt): Span[] {
  return [
    ...requests.map((request, i) => ({
      ...{ id: `request ${i}`, from: request.startedAt, to: request.endedAt, request },
    })),
    ...calls.map((call) => ({
      ...{ id: call.id, from: call.startedAt ?? call.createdAt, to: call.endedAt ?? endedAt, call },
    })),
  ].toSorted((a, b) => a.from - b.from || a.to - b.to);
}

/** Position and length of a span in its attempt. Hidden from screen readers, which read the numbers beside it. */
function Bar({ span: { from, to }, attempt }: { span: Span; attempt: Attempt }) {
  const whole = Math.max(0.001, attempt.endedAt - attempt.startedAt);
  const part = (seconds: number) => Math.min(100, Math.max(0, (100 * seconds) / whole));
  const left = Math.min(99, part(from - attempt.startedAt));
  const width = Math.max(1, Math.min(100 - left, part(to - from)));
  return (
    <span class="span-bar" aria-hidden="true">
      <i style={{ marginLeft: `${left}%`, width: `${width}%` }} />
    </span>
  );
}

function RequestSpan({ request }: { request: Request }) {
  const { model, startedAt, endedAt, inputTokens, outputTokens, cacheTokens, costUsd } = request;
  return (
    <p class="span-line">
      <span class="span-name">{model}</span>
      <span class="session-facts">
        <span>{duration(Math.max(0, endedAt - startedAt))}</span>
        <span>{number(inputTokens)} in</span>
        <span>{number(outputTokens)} out</span>
        {cacheTokens > 0 ? <span>{number(cacheTokens)} cached</span> : null}
        {costUsd === null ? null : <span>{exactMoney(costUsd)}</span>}
      </span>
    </p>
  );
}

function CallSpan({ call }: { call: Call }) {
  const { startedAt, endedAt } = call;
  return (
    <ToolCall tool={call.tool} args={call.arguments} result={call.result}>
      <CallState state={call.state} />
      {startedAt === null || endedAt === null ? null : (
        <span>{duration(Math.max(0, endedAt - startedAt))}</span>
      )}
    </ToolCall>
  );
}
