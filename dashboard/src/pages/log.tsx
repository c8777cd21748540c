/** The gateway's log, live. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { LogAnswer } from "../../../src/http/dashboard/operations-types.js";
import { counted, exactClock, fullMoment, platformName } from "../format.js";
import { Badge, type Tone } from "../parts/badges.js";
import { Page } from "../parts/page.js";
import { RestartButton } from "../parts/restart.js";
import { Choice } from "../parts/segmented.js";
import { Empty } from "../parts/states.js";
import { useFetched } from "../state/fetched.js";
import { type FollowedLog, type NumberedLine, useLog } from "../state/log.js";
import { href, place, setQuery } from "../state/router.js";
import { useDebounced } from "../state/throttle.js";

const LEVELS = [
  { value: "", label: "All levels" },
  { value: "info", label: "Info and above" },
  { value: "warn", label: "Warnings and above" },
  { value: "error", label: "Errors" },
] as const;

const OTHERS: Record<string, string> = {
  mcp: "MCP servers",
  hooks: "Hooks",
  plugins: "Plugins",
  operator: "Operator",
  gateway: "Gateway",
};

const areaName = (area: string) => OTHERS[area] ?? platformName(area);

export function LogPage() {
  const { query } = place.value;
  const { data } = useFetched<LogAnswer>("/log");
  const [paused, setPaused] = useState(false);
  const [text, setText] = useState(query.get("text") ?? "");
  const debounced = useDebounced(text.trim(), 400);
  const filter = { level: query.get("level"), area: query.get("area"), text: debounced };
  useEffect(() => setQuery({ text: debounced }), [debounced]);
  // A new filter ends the pause.
  useEffect(() => setPaused(false), [filter.level, filter.area, filter.text]);
  const log = useLog(filter, paused);
  const areas = (data?.areas ?? []).map((value) => ({ value, label: areaName(value) }));
  return (
    <Page title="Log" aside={<RestartButton />}>
      <div class="filters">
        <input
          class="field log-text"
          type="search"
          aria-label="Lines that contain"
          placeholder="Lines that contain…"
          maxLength={200}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <Choice
          label="Level"
          value={query.get("level") ?? ""}
          options={LEVELS}
          onChange={(level) => setQuery({ level })}
        />
        <Choice
          label="Area"
          value={query.get("area") ?? ""}
          options={[{ value: "", label: "All areas" }, ...areas]}
          onChange={(area) => setQuery({ area })}
        />
        <button type="button" class="button" aria-pressed={paused} onClick={() => setPaused(!paused)}>
          {paused ? "Resume" : "Pause"}
        </button>
        <LogState log={log} paused={paused} />
      </div>
      <Lines log={log} paused={paused} />
      {data && data.level !== "debug" ? (
        <p class="quiet">The gateway logs {data.level} and above (log.level).</p>
      ) : null}
    </Page>
  );
}

function LogState({ log: { state, unseen, skipped }, paused }: { log: FollowedLog; paused: boolean }) {
  if (state === "lost") return <Badge tone="wait">Reconnecting</Badge>;
  if (paused) return <Badge tone="wait">Paused, {counted(unseen, "new line")}</Badge>;
  if (skipped > 0) return <span class="quiet">{counted(skipped, "earlier line")} left out</span>;
  return null;
}

/** Newest line last. Scrolls along with new lines unless the operator has scrolled up. */
function Lines({ log, paused }: { log: FollowedLog; paused: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const last = log.lines.at(-1)?.number;
  useEffect(() => {
    const { current } = box;
    if (current && follows.current && !paused) current.scrollTop = current.scrollHeight;
  }, [last, paused]);
  if (log.lines.length === 0)
    return <Empty title={log.state === "connecting" ? "Connecting…" : "No matching lines yet"} />;
  return (
    <div
      ref={box}
      class="log card"
      role="log"
      aria-live="off"
      aria-label="Log lines, newest last"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      onScroll={(event) => {
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
        follows.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      <ol>
        {log.lines.map((line) => (
          <Line key={line.number} line={line} />
        ))}
      </ol>
    </div>
  );
}

const TONES: Record<string, Tone> = { warn: "wait", error: "bad", info: "quiet", debug: "quiet" };

function Line({ line: { at, level, area, text, fields, traceId } }: { line: NumberedLine }) {
  return (
    <li class="log-line" data-level={level ?? ""}>
      {at === null ? (
        <span />
      ) : (
        <time dateTime={new Date(at * 1000).toISOString()} title={fullMoment(at)}>
          {exactClock(at)}
        </time>
      )}
      <span>
        <Badge tone={TONES[level ?? ""] ?? "quiet"}>{level ?? "?"}</Badge>
      </span>
      <span class="quiet anywhere">{areaName(area)}</span>
      <span class="anywhere">
        {text} <span class="quiet">{fields}</span>
        {traceId ? (
          <>
            {" "}
            <a href={href(`/messages/${traceId}`)}>trace</a>
          </>
        ) : null}
      </span>
    </li>
  );
}
