/** Date ranges for lists, in days of the browser's calendar. */

export const DATES = [
  { value: "", label: "Any time" },
  { value: "today", label: "Today" },
  { value: "7", label: "Last 7 days" },
  { value: "30", label: "Last 30 days" },
  { value: "older", label: "Older" },
] as const;

function daysAgo(days: number): number {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  midnight.setDate(midnight.getDate() - days);
  return midnight.getTime() / 1000;
}

export function dateRange(choice: string | null): { since?: number; until?: number } {
  switch (choice) {
    case "today":
      return { since: daysAgo(0) };
    case "7":
      return { since: daysAgo(6) };
    case "30":
      return { since: daysAgo(29) };
    case "older":
      return { until: daysAgo(29) };
    default:
      return {};
  }
}
