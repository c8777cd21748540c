import { useComputed } from "@preact/signals";
import type { Overview, PlatformHealth, Problem } from "../../../src/http/dashboard/types.js";
import { bytes, clock, counted, duration, milliseconds, number, platformName } from "../format.js";
import { Badge, Platform } from "../parts/badges.js";
import { Chart } from "../parts/chart.js";
import { LastProof, McpState, PlatformState } from "../parts/connection-state.js";
import { Fact } from "../parts/facts.js";
import { Icon } from "../parts/icons.js";
import { Page } from "../parts/page.js";
import { LoadingOrFailed } from "../parts/states.js";
import { Tile } from "../parts/tile.js";
import { Today } from "../parts/today.js";
import { now } from "../state/clock.js";
import { useFetched } from "../state/fetched.js";
import { overview, pairingCount } from "../state/live.js";
import { href } from "../state/router.js";

export function OverviewPage() {
  // Don't wait for the event stream to show the first overview.
  const first = useFetched<Overview>(overview.value ? undefined : "/overview");
  const shown = overview.value ?? first.data;
  return (
    <Page title="Overview" aside={shown ? <Verdict shown={shown} /> : null}>
      {shown ? <Shown shown={shown} /> : null}
      <LoadingOrFailed of={{ ...first, data: shown }} rows={6} />
    </Page>
  );
}

function Shown({ shown }: { shown: Overview }) {
  return (
    <>
      <Attention problems={shown.problems} />
      <Tiles shown={shown} />
      <LastHour shown={shown} />
      <Today today={shown.today} />
      <div class="columns">
        <Platforms platforms={shown.platforms} />
        <Process shown={shown} />
      </div>
      <McpServers servers={shown.mcpServers} />
    </>
  );
}

/** The overall state as one badge. */
function Verdict({ shown: { problems } }: { shown: Overview }) {
  const [first] = problems;
  if (!first) return <Badge tone="good">All is well</Badge>;
  return <Badge tone={first.severity}>{counted(problems.length, "problem")}</Badge>;
}

function Attention({ problems }: { problems: readonly Problem[] }) {
  if (problems.length === 0 && pairingCount.value === 0) return null;
  return (
    <ul class="attention">
      {problems.map(({ text, path }) => (
        <li key={text}>
          {path === null ? (
            <p>
              <Icon name="warning" />
              <span class="attention-text">{text}</span>
            </p>
          ) : (
            <a href={href(path)}>
              <Icon name={path === "/dead" ? "letter" : "warning"} />
              <span class="attention-text">{text}</span>
              <Icon name="chevron" small />
            </a>
          )}
        </li>
      ))}
      {pairingCount.value > 0 ? (
        <li>
          <a href={href("/people")}>
            <Icon name="key" />
            {counted(pairingCount.value, "person asks", "people ask")} to be let in
            <Icon name="chevron" small />
          </a>
        </li>
      ) : null}
    </ul>
  );
}

function Tiles({ shown }: { shown: Overview }) {
  const { lastMinute, queues, turns } = shown;
  const { inbox, outbox, oldestWaiting } = queues;
  return (
    <ul class="tiles">
      <Tile label="Messages a minute" value={number(lastMinute.handled)} id="rate">
        {counted(lastMinute.sent, "answer")} sent
      </Tile>
      <Tile
        label="Waiting"
        value={number(inbox.waiting)}
        tone={inbox.waiting > 20 ? "wait" : undefined}
        id="waiting"
      >
        {counted(turns.running, "turn")} running
      </Tile>
      <Tile
        label="Oldest waiting"
        value={oldestWaiting ? <Age at={oldestWaiting.at} /> : "None"}
        tone={oldestWaiting && shown.at - oldestWaiting.at > 60 ? "wait" : undefined}
        id="oldest"
      >
        {oldestWaiting ? (
          <a href={href(`/messages/in:${oldestWaiting.id}`)}>
            {platformName(oldestWaiting.platform)}, trace it
          </a>
        ) : (
          "Nothing is waiting"
        )}
      </Tile>
      <Tile
        label="To be sent"
        value={number(outbox.pending + outbox.sending)}
        tone={outbox.pending > 20 ? "wait" : undefined}
        id="to-send"
      >
        {queues.oldestPending ? <Since at={queues.oldestPending.at} /> : "The outbox is empty"}
      </Tile>
    </ul>
  );
}

function Age({ at }: { at: number }) {
  const text = useComputed(() => duration(Math.max(1, Math.round(now.value - at))));
  return <span key={at}>{text}</span>;
}

function Since({ at }: { at: number }) {
  return (
    <>
      oldest for <Age at={at} />
    </>
  );
}

function LastHour({ shown: { hour } }: { shown: Overview }) {
  const names = hour.handled.map((_, i) => clock((hour.from + i) * 60));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const summary = `Last hour: ${counted(sum(hour.handled), "message")} handled, ${counted(sum(hour.sent), "answer")} sent`;
  return (
    <section class="card" aria-labelledby="hour">
      <div class="card-head">
        <h2 id="hour">Last hour</h2>
        <p class="quiet">by the minute</p>
      </div>
      <Chart
        kind="mixed"
        summary={summary}
        names={names}
        series={[
          { label: "Messages handled", values: hour.handled, color: 1 },
          { label: "Answers sent", values: hour.sent, color: 2 },
        ]}
        format={number}
        height={190}
      />
    </section>
  );
}

function Platforms({ platforms }: { platforms: readonly PlatformHealth[] }) {
  return (
    <section class="card" aria-labelledby="platforms">
      <h2 id="platforms">Platforms</h2>
      <ul class="rows">
        {platforms.map(({ platform, account, state, lastProofAt, detail }) => (
          <li key={`${platform} ${account}`} class="platform-row" data-platform-row={platform}>
            <div>
              <Platform name={platform} />
              <span class="quiet mono">{account}</span>
            </div>
            <div class="platform-proof">
              <LastProof at={lastProofAt} />
              <PlatformState state={state} />
            </div>
            {detail ? <p class="quiet platform-detail">{detail}</p> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

function McpServers({ servers }: { servers: Overview["mcpServers"] }) {
  if (servers.length === 0) return null;
  return (
    <section class="card" aria-labelledby="mcp-servers">
      <h2 id="mcp-servers">MCP servers</h2>
      <ul class="rows">
        {servers.map(({ name, state, tools, detail }) => (
          <li key={name} class="platform-row" data-mcp-server={name}>
            <div>
              <span class="mono">{name}</span>
            </div>
            <div class="platform-proof">
              <span class="quiet">{counted(tools, "tool")}</span>
              <McpState state={state} />
            </div>
            {detail ? <p class="quiet platform-detail">{detail}</p> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Process({ shown }: { shown: Overview }) {
  const { process, gateway, totals } = shown;
  const { p50, p99, max } = process.loopDelayMs;
  const used = process.heapUsedBytes / process.heapTotalBytes;
  return (
    <section class="card" aria-labelledby="process">
      <h2 id="process">Process</h2>
      <dl class="facts">
        <Fact name="Memory">
          <span class="with-meter">
            {bytes(process.rssBytes)}
            <meter
              min={0}
              max={1}
              value={used}
              aria-label={`${bytes(process.heapUsedBytes)} of ${bytes(process.heapTotalBytes)} heap used`}
            />
          </span>
        </Fact>
        <Fact name="Event loop delay">
          <span class={max > 200 ? "warn" : undefined}>
            {milliseconds(p50)} <span class="quiet">p99</span> {milliseconds(p99)}{" "}
            <span class="quiet">max</span> {milliseconds(max)}
          </span>
        </Fact>
        <Fact name="Uptime">
          <Age at={gateway.startedAt} />
        </Fact>
        <Fact name="Model">{gateway.model}</Fact>
        <Fact name="History">
          {counted(totals.sessions, "session")}, {counted(totals.messages, "message")}
        </Fact>
        <Fact name="Database">{bytes(totals.databaseBytes)}</Fact>
        <Fact name="Version">
          {gateway.version} <span class="quiet">on Node {gateway.node.replace(/^v/, "")}</span>
        </Fact>
      </dl>
    </section>
  );
}
