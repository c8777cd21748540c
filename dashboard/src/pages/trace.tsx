import type { Trace, TraceAnswer } from "../../../src/http/dashboard/types.js";
import { duration, exactClock, moment, platformName } from "../format.js";
import { Markdown } from "../markdown/markdown.js";
import { Attempts } from "../parts/attempts.js";
import { Badge, type Tone } from "../parts/badges.js";
import { Icon } from "../parts/icons.js";
import { Page } from "../parts/page.js";
import { LoadingOrFailed } from "../parts/states.js";
import { Who } from "../parts/who.js";
import { useFetched } from "../state/fetched.js";
import { queuesMark } from "../state/live.js";
import { href } from "../state/router.js";
import { useThrottled } from "../state/throttle.js";

/** The timeline of a message: what `hermes trace` prints. */
export function TracePage({ reference }: { reference: string }) {
  const fetched = useFetched<TraceAnswer>(
    `/trace/${encodeURIComponent(reference)}`,
    useThrottled(queuesMark.value, 1500),
  );
  return (
    <Page
      title={`Message ${reference}`}
      above={
        <a class="back" href={href("/messages")}>
          <Icon name="back" small />
          Messages
        </a>
      }
    >
      {fetched.data?.traces.map((trace) => (
        <TraceDetail key={trace.inbox.id} trace={trace} />
      ))}
      <LoadingOrFailed of={fetched} rows={5} />
    </Page>
  );
}

const TONES: Record<Trace["inbox"]["state"], Tone> = {
  waiting: "wait",
  running: "accent",
  done: "good",
  refused: "quiet",
  cancelled: "quiet",
  dead: "bad",
};

function TraceDetail({ trace }: { trace: Trace }) {
  const { inbox, reason, sessionId, steps, deliveries } = trace;
  const { origin, text, platform } = inbox.message;
  const [first, last] = [steps[0], steps.at(-1)];
  return (
    <article class="trace">
      <section class="card" aria-label="The message">
        <p class="trace-text">{text || "No text"}</p>
        {(reason ?? inbox.error) ? <p class="trace-reason quiet">{reason ?? inbox.error}</p> : null}
        <p class="session-facts">
          <Badge tone={TONES[inbox.state]}>{capital(inbox.state)}</Badge>
          <span>{platformName(platform)}</span>
          <Who name={origin.userName} id={origin.userId} />
          {origin.chatType === "dm" ? null : <Who name={origin.chatName} id={origin.chatId} />}
          {inbox.attempts > 1 ? <span>{inbox.attempts} attempts</span> : null}
          {first && last ? <span>{duration(last.at - first.at)} in total</span> : null}
          {sessionId ? <a href={href(`/sessions/${encodeURIComponent(sessionId)}`)}>Session</a> : null}
        </p>
      </section>
      <section class="card" aria-labelledby={`way-${inbox.id}`}>
        <div class="card-head">
          <h2 id={`way-${inbox.id}`}>Timeline</h2>
          {first ? (
            <p class="quiet">
              {moment(first.at)}, trace <span class="mono">{inbox.traceId}</span>
            </p>
          ) : null}
        </div>
        <ol class="timeline">
          {steps.map(({ at, what, detail }, i) => {
            const before = steps[i - 1];
            return (
              <li key={`${at} ${what} ${detail}`} data-what={what}>
                <span class="timeline-gap">{before ? `+${duration(at - before.at)}` : ""}</span>
                <span class="timeline-what">{capital(what)}</span>
                <span class="timeline-detail quiet mono">{detail?.replace(/["[\]]/g, "")}</span>
                <time dateTime={new Date(at * 1000).toISOString()}>{exactClock(at)}</time>
              </li>
            );
          })}
        </ol>
      </section>
      <Attempts attempts={trace.attempts} />
      {deliveries.map((delivery) => (
        <Delivery key={delivery.id} delivery={delivery} />
      ))}
    </article>
  );
}

const DELIVERY_STATES: Record<Trace["deliveries"][number]["state"], [string, Tone]> = {
  pending: ["Waiting to be sent", "wait"],
  sending: ["Being sent", "accent"],
  sent: ["Sent", "good"],
  unknown: ["Unknown", "bad"],
  dead: ["Given up", "bad"],
};

function Delivery({ delivery }: { delivery: Trace["deliveries"][number] }) {
  const { id, kind, state, attempts, error, messageIds, text, parts, files } = delivery;
  const sent = parts?.filter(({ ids }) => ids !== undefined).length;
  const [label, tone] = DELIVERY_STATES[state];
  return (
    <section class="card" aria-labelledby={`out-${id}`}>
      <div class="card-head">
        <h2 id={`out-${id}`}>{capital(kind)}</h2>
        <Badge tone={tone}>{label}</Badge>
      </div>
      <div class="trace-answer">
        <Markdown text={text} />
      </div>
      <p class="session-facts">
        <span class="mono">out:{id}</span>
        {attempts > 1 ? <span>{attempts} attempts</span> : null}
        {parts ? (
          <span>
            {sent} of {parts.length} parts sent
          </span>
        ) : null}
        {messageIds.length > 0 ? <span>message {messageIds.join(", ")}</span> : null}
      </p>
      {error ? <p class="letter-error">{error}</p> : null}
      <Parts parts={parts ?? []} />
      {files.map((file) => (
        <p key={file.name} class="session-facts">
          <span>File {file.name}</span>
          {"problem" in file ? <span>not sent: {file.problem}</span> : null}
        </p>
      ))}
    </section>
  );
}

/** The parts as they were sent to the platform. */
function Parts({ parts }: { parts: NonNullable<Trace["deliveries"][number]["parts"]> }) {
  if (parts.length < 2) return null;
  return (
    <details class="tool">
      <summary>
        <span class="mono">Parts</span>
      </summary>
      <ol class="tool-body">
        {parts.map(({ part, ids }, i) => (
          <li key={`${i} ${ids}`}>
            <p class="tool-label">
              {i + 1}. {ids === undefined ? "not sent" : `message ${ids.join(", ")}`}
            </p>
            <pre class="wrap">{JSON.stringify(part)}</pre>
          </li>
        ))}
      </ol>
    </details>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
