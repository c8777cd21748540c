import type { SessionSummary } from "../../session.js";
import { type Column, drawColumns } from "../columns.js";
import { relativeTime } from "../times.js";

const LAST_ACTIVE: Column = { header: "Last Active", width: 13 };
const ID: Column = { header: "ID", width: 0 };

const WITH_TITLES: readonly Column[] = [
  { header: "Title", width: 32, cut: 30, min: 12 },
  { header: "Preview", width: 40, cut: 38, min: 8 },
  LAST_ACTIVE,
  ID,
];
const WITHOUT_TITLES: readonly Column[] = [
  { header: "Preview", width: 50, cut: 48, min: 8 },
  LAST_ACTIVE,
  { header: "Src", width: 6 },
  ID,
];

/** The list as Hermes draws it: with titles where any session has one, else with the source. */
export function sessionTable(sessions: readonly SessionSummary[], now: number): string {
  if (sessions.some((session) => session.title)) {
    const rows = sessions.map((s) => [s.title || "—", s.preview, relativeTime(s.last_active, now), s.id]);
    return drawColumns(WITH_TITLES, rows, 110);
  }
  const rows = sessions.map((s) => [s.preview, relativeTime(s.last_active, now), s.source, s.id]);
  return drawColumns(WITHOUT_TITLES, rows, 95);
}
