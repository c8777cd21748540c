import type { UsageAnswer, UsageSums } from "../../../src/http/dashboard/types.js";
import { counted, day, money, number, platformColor, platformName, short } from "../format.js";
import { Chart, type ChartSeries } from "../parts/chart.js";
import { Page } from "../parts/page.js";
import { Choice, Segmented } from "../parts/segmented.js";
import { Empty, LoadingOrFailed } from "../parts/states.js";
import { TableHead } from "../parts/table-head.js";
import { Tile } from "../parts/tile.js";
import { withQuery } from "../state/api.js";
import { useFetched } from "../state/fetched.js";
import { place, setQuery } from "../state/router.js";

const RANGES = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "A year" },
] as const;

const MEASURES = {
  tokens: { label: "Tokens", of: (sums: UsageSums) => sums.inputTokens + sums.outputTokens, format: short },
  cost: { label: "Cost", of: (sums: UsageSums) => sums.costUsd, format: money },
  messages: { label: "Messages", of: (sums: UsageSums) => sums.messages, format: short },
  sessions: { label: "Sessions", of: (sums: UsageSums) => sums.sessions, format: short },
} as const;

type Measure = keyof typeof MEASURES;

export function UsagePage() {
  const { query } = place.value;
  const days = query.get("days") ?? "30";
  const by = query.get("by") === "model" ? "model" : "platform";
  const measure = (query.get("measure") ?? "tokens") as Measure;
  const fetched = useFetched<UsageAnswer>(
    withQuery("/usage", { days, by, source: query.get("source"), model: query.get("model") }),
  );
  return (
    <Page title="Usage">
      <div class="filters">
        <Segmented
          label="Period"
          name="days"
          value={days as (typeof RANGES)[number]["value"]}
          options={RANGES}
          onChange={(value) => setQuery({ days: value })}
        />
        <Choice
          label="Measure"
          value={measure}
          options={Object.entries(MEASURES).map(([value, { label }]) => ({ value, label }))}
          onChange={(value) => setQuery({ measure: value })}
        />
        <Segmented
          label="Group by"
          name="by"
          value={by}
          options={[
            { value: "platform", label: "By platform" },
            { value: "model", label: "By model" },
          ]}
          onChange={(value) => setQuery({ by: value })}
        />
      </div>
      {fetched.data ? (
        <Shown usage={fetched.data} by={by} measure={measure in MEASURES ? measure : "tokens"} />
      ) : null}
      <LoadingOrFailed of={fetched} rows={6} />
    </Page>
  );
}

interface ShownProps {
  usage: UsageAnswer;
  by: "platform" | "model";
  measure: Measure;
}

function Shown({ usage, by, measure }: ShownProps) {
  const { total, days } = usage;
  if (total.sessions === 0)
    return <Empty title="No usage in this period">Sessions count on the day they began.</Empty>;
  return (
    <>
      <ul class="tiles">
        <Tile label="Tokens in" value={short(total.inputTokens)}>
          {short(total.cacheTokens)} cached
        </Tile>
        <Tile label="Tokens out" value={short(total.outputTokens)}>
          {counted(total.apiCalls, "call")} to models
        </Tile>
        <Tile label="Cost" value={money(total.costUsd)}>
          {money(total.costUsd / days.length)} a day
        </Tile>
        <Tile label="Messages" value={short(total.messages)}>
          in {counted(total.sessions, "session")}
        </Tile>
      </ul>
      <section class="card" aria-labelledby="by-day">
        <div class="card-head">
          <h2 id="by-day">{MEASURES[measure].label} by day</h2>
          <p class="quiet">sessions count on the day they began, {usage.timeZone}</p>
        </div>
        <Chart
          kind="stacked"
          summary={`${MEASURES[measure].label} by day and ${by}, ${day(days[0]!)} to ${day(days.at(-1)!)}`}
          names={days.map(day)}
          series={seriesOf(usage, by, measure)}
          format={MEASURES[measure].format}
          height={240}
        />
      </section>
      <div class="columns">
        <Sums title="Platforms" rows={usage.platforms} nameOf={platformName} />
        <Sums title="Models" rows={usage.models} nameOf={(name) => name} />
      </div>
    </>
  );
}

const MAX_SERIES = 6;

/** One series for each of the largest, and one for all others. */
function seriesOf(
  { days, byDay, platforms, models }: UsageAnswer,
  by: ShownProps["by"],
  measure: Measure,
): ChartSeries[] {
  const { of } = MEASURES[measure];
  const names = (by === "platform" ? platforms : models)
    .toSorted((a, b) => of(b) - of(a))
    .map(({ name }) => name);
  const own = names.length > MAX_SERIES ? names.slice(0, MAX_SERIES - 1) : names;
  const column = new Map(days.map((name, i) => [name, i]));
  const label = by === "platform" ? platformName : (name: string) => name;
  const color = by === "platform" ? platformColor : (_: string, i: number) => i + 1;
  const series = own.map((name, i) => ({
    label: label(name),
    values: days.map(() => 0),
    color: color(name, i),
  }));
  const rest = { label: "Others", values: days.map(() => 0), color: 8 };
  for (const row of byDay) {
    const i = column.get(row.day);
    const one = series[own.indexOf(row.name)] ?? rest;
    if (i !== undefined) one.values[i]! += of(row);
  }
  return own.length < names.length ? [...series, rest] : series;
}

interface SumsProps {
  title: string;
  rows: UsageAnswer["platforms"];
  nameOf(name: string): string;
}

function Sums({ title, rows, nameOf }: SumsProps) {
  const id = title.toLowerCase();
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <table aria-labelledby={id}>
        <TableHead numbers={["Sessions", "Tokens", "Cost"]} />
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{nameOf(row.name)}</th>
              <td class="number">{number(row.sessions)}</td>
              <td class="number">{short(row.inputTokens + row.outputTokens)}</td>
              <td class="number">{money(row.costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
