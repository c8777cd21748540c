import type { Insights } from "../store/insights.js";
import { drawBars } from "./bars.js";
import { cellWidth, oneLine, padToCells, shorten } from "./cells.js";
import { fitted, terminalColumns } from "./fit.js";
import { counted, grouped } from "./numbers.js";
import { colors } from "./output.js";

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const TOOLS_SHOWN = 15;
const NAME_CELLS = 36;
const INDENT = 2;
const MIN_NAME_CELLS = 12;

/** The whole report: a heading and lines for every section with data. */
export function drawInsights(insights: Insights): string {
  const parts: [heading: string, lines: string[]][] = [
    [insights.days === 1 ? "Last day" : `Last ${insights.days} days`, overview(insights)],
    ["Models", models(insights)],
    ["Platforms", platforms(insights)],
    ["Tools", tools(insights)],
    [
      "By weekday (messages)",
      drawBars(insights.weekdays.map((value, day) => ({ label: WEEKDAYS[day] ?? "?", value }))),
    ],
    [
      "By hour (messages)",
      drawBars(insights.hours.map((value, hour) => ({ label: String(hour).padStart(2, "0"), value }))),
    ],
    ["Notable sessions", notable(insights)],
  ];
  return parts
    .filter(([, lines]) => lines.length > 0)
    .map(([heading, lines]) => [colors.bold(heading), ...lines.map((line) => `  ${line}`)].join("\n"))
    .join("\n\n");
}

function overview({ overview: sum, days_active, longest_streak }: Insights): string[] {
  return pairs([
    ["Sessions", grouped(sum.sessions)],
    ["Messages", `${grouped(sum.messages)} (${grouped(sum.user_messages)} by people)`],
    ["Tool calls", grouped(sum.tool_calls)],
    ["Tokens", `${grouped(sum.input_tokens)} in, ${grouped(sum.output_tokens)} out`],
    ["Cached", `${grouped(sum.cache_read_tokens)} read, ${grouped(sum.cache_write_tokens)} written`],
    ["Reasoning", `${grouped(sum.reasoning_tokens)} tokens`],
    ["API calls", grouped(sum.api_calls)],
    ["Cost", dollars(sum.cost_usd)],
    [
      "Active",
      `${grouped(sum.active_hours)} h on ${counted(days_active, "day")}, longest streak ${counted(longest_streak, "day")}`,
    ],
  ]);
}

function models({ models }: Insights): string[] {
  return named(
    models.map((row) => {
      const tokens = `${grouped(row.input_tokens)} in, ${grouped(row.output_tokens)} out`;
      return [row.model, `${many(row.sessions, "session")} · ${tokens} · ${dollars(row.cost_usd)}`];
    }),
  );
}

function platforms({ platforms }: Insights): string[] {
  return named(
    platforms.map((row) => {
      const counts = [
        many(row.sessions, "session"),
        many(row.messages, "message"),
        many(row.tokens, "token"),
      ].join(" · ");
      return [row.source, `${counts} · ${dollars(row.cost_usd)}`];
    }),
  );
}

function tools({ tools }: Insights): string[] {
  return drawBars(
    tools
      .slice(0, TOOLS_SHOWN)
      .map(({ tool, calls }) => ({ label: shorten(oneLine(tool), NAME_CELLS), value: calls })),
  );
}

function notable({ notable }: Insights): string[] {
  const labels = Math.max(0, ...notable.map(({ label }) => cellWidth(oneLine(label))));
  return pairs(
    notable.map(({ label, session_id, title, value }) => {
      const used = INDENT + labels + cellWidth(`  ${grouped(value)}    ${session_id}`);
      return [oneLine(label), `${grouped(value)}  ${fitted(oneLine(title || "—"), used)}  ${session_id}`];
    }),
  );
}

function pairs(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([label]) => cellWidth(label)));
  return rows.map(([label, text]) => `${padToCells(label, width)}  ${text}`);
}

/** A name and its counts; on a terminal a long name is cut first. */
function named(rows: readonly (readonly [string, string])[]): string[] {
  const counts = Math.max(0, ...rows.map(([, text]) => cellWidth(text)));
  const columns = terminalColumns();
  const room = columns === undefined ? NAME_CELLS : columns - INDENT - 2 - counts;
  const cells = Math.max(MIN_NAME_CELLS, Math.min(NAME_CELLS, room));
  return rows.map(
    ([name, text]) =>
      `${padToCells(shorten(oneLine(name), cells), cells)}  ${fitted(text, INDENT + cells + 2)}`,
  );
}

function many(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`;
}
