/** Parses lines of the daemon's log, for the dashboard and `hermes gateway logs`. */

export const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];

export type LogFields = Readonly<Record<string, unknown>>;

/** Undefined if it isn't valid: the last line of a killed process may be incomplete. */
export function parseLine(line: string): LogFields | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "object" && entry !== null && !Array.isArray(entry)
      ? (entry as LogFields)
      : undefined;
  } catch {
    return undefined;
  }
}

export function isAtLeast({ level }: LogFields, minLevel: Level): boolean {
  return LEVELS.indexOf(level as Level) >= LEVELS.indexOf(minLevel);
}

const OPERATOR = "operator";
/** Fields that identify a part of the gateway other than a platform, and the part's name. */
const AREAS = { server: "mcp", hook: "hooks", plugin: "plugins" } as const;

/** Areas that aren't platforms. */
export const OTHER_AREAS = [...Object.values(AREAS), OPERATOR, "gateway"] as const;

/** The platform or part of the gateway that a line is about. Operator actions may also have a platform. */
export function areaOf(entry: LogFields): string {
  if (entry.msg === OPERATOR) return OPERATOR;
  if (typeof entry.platform === "string") return entry.platform;
  const area = Object.entries(AREAS).find(([field]) => entry[field] !== undefined);
  return area ? area[1] : "gateway";
}

/** All other fields than time, level and message, as `key=value`. */
export function fieldsText(entry: LogFields): string {
  return Object.entries(entry)
    .filter(([key]) => !COMMON.has(key))
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}

const COMMON = new Set(["level", "time", "msg"]);
