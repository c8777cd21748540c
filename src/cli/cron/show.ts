import { nowSeconds } from "../../clock.js";
import { localTime } from "../../commands/parts/times.js";
import { loadConfig } from "../../config/load.js";
import { resolveHome } from "../../config/paths.js";
import { formatTarget } from "../../message.js";
import { faultOf } from "../../policies/schedule.js";
import { formatWhen, type When } from "../../policies/when.js";
import { findSchedule } from "../../schedules/change.js";
import type { RunRow, ScheduleRow } from "../../store/schedules.js";
import { oneLine, plain, shorten } from "../cells.js";
import { drawColumns } from "../columns.js";
import { hanging } from "../fit.js";
import { io } from "../io.js";
import { noDatabase, SHORT, withStore } from "../open.js";
import { print, printJson } from "../output.js";
import { relativeTime } from "../times.js";

const RUNS_SHOWN = 10;

export async function list({ all, json }: { all?: boolean; json?: boolean }): Promise<void> {
  const schedules = await withStore<ScheduleRow[]>(
    (store) => store.listSchedules(),
    () => [],
    SHORT,
  );
  const zone = configuredZone();
  const shown = schedules
    .filter(({ state }) => all || state !== "done")
    .map((schedule) => ({ ...schedule, fault: faultOf(schedule, zone) }));
  if (json) return printJson(shown);
  if (shown.length === 0) return print("There are no schedules. See `hermes cron add --help`.");
  const columns = [
    { header: "Id", width: 8 },
    { header: "Name", width: 24, cut: 22, min: 8 },
    { header: "When", width: 16, cut: 15, min: 8 },
    { header: "Next", width: 16 },
    { header: "To", width: 22, cut: 20, min: 8 },
    { header: "Last", width: 24, min: 12 },
  ];
  const now = nowSeconds();
  const rows = shown.map((schedule) => [
    schedule.id,
    schedule.name,
    whenWords(schedule),
    nextCell(schedule, zone),
    whereTo(schedule),
    schedule.fault === null ? lastCell(schedule.lastRun, now) : shorten(schedule.fault, REASON_CELLS),
  ]);
  print(drawColumns(columns, rows, 110));
}

export async function show(reference: string, { json }: { json?: boolean }): Promise<void> {
  const zone = configuredZone();
  const { schedule, runs } = await withStore(
    async (store) => {
      const { runs = [], ...alone } = await findSchedule(store, reference, { runs: RUNS_SHOWN });
      return { schedule: { ...alone, fault: faultOf(alone, zone) }, runs };
    },
    noDatabase,
    SHORT,
  );
  if (json) return printJson({ ...schedule, runs });
  const { name, id, fault, prompt, missed, maker } = schedule;
  const timeZone = fault === null ? schedule.timeZone : null;
  print(`${oneLine(name)} (${id})`);
  print(`  when     ${whenWords(schedule)}${fault === null ? ` (${timeZone ?? zone})` : `: ${fault}`}`);
  print(`  next     ${nextCell(schedule, zone)}`);
  print(`  to       ${whereTo(schedule)}`);
  print(`  missed   ${missed}`);
  if (maker) print(`  made by  ${maker.platform}:${maker.userId}`);
  print(`  prompt   ${plain(prompt).replaceAll("\n", "\n           ")}`);
  print(runs.length === 0 ? "It has not run yet." : "Last runs:");
  for (const run of runs) print(`  ${hanging(drawRun(run, timeZone ?? zone), 6, 2)}`);
}

function drawRun(run: RunRow, zone: string): string {
  const facts = [
    localTime(run.tick, zone),
    run.manual ? "wanted" : "",
    run.state,
    run.reason ?? "",
    run.delivery === null ? "" : `answer ${run.delivery}`,
    run.sessionId ?? "",
    run.inboxId === null ? "" : `in:${run.inboxId}`,
  ];
  return facts
    .filter((fact) => fact !== "")
    .map(oneLine)
    .join("  ");
}

/** "Next run: 2026-06-17 09:00 (Europe/Berlin)." */
export function nextRun(schedule: ScheduleRow, zone: string): string {
  return `Next run: ${nextCell(schedule, zone, true)}.`;
}

/** If its error is known. */
export function whenWords({ when, fault }: Pick<ScheduleRow, "when" | "fault">): string {
  return fault === null ? formatWhen(when as When) : "unreadable";
}

function nextCell({ state, nextAt, timeZone, fault }: ScheduleRow, zone: string, withZone = false): string {
  if (fault !== null) return "—";
  if (state !== "active" || nextAt === null) return state === "active" ? "never" : state;
  const time = localTime(nextAt, timeZone ?? zone);
  return withZone ? time : time.split(" (", 1)[0]!;
}

function whereTo({ target, deliver, fault }: ScheduleRow): string {
  if (fault !== null) return "—";
  return target ? formatTarget(target) : deliver;
}

const REASON_CELLS = 40;

function lastCell(run: RunRow | null, now: number): string {
  if (!run) return "—";
  const reason =
    run.state === "failed" || run.state === "skipped" ? `: ${shorten(run.reason ?? "", REASON_CELLS)}` : "";
  const undelivered = run.delivery === "dead" ? ", not delivered" : "";
  return `${run.state} ${relativeTime(run.at, now)}${undelivered}${reason}`;
}

function configuredZone(): string {
  return loadConfig({ home: resolveHome(io().env), env: io().env }).config.timezone;
}
