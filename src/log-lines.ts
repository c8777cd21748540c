/** Lines of the daemon's log, for those who read it again: the dashboard and `hermes gateway logs`. */

export const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];

export type LogFields = Readonly<Record<string, unknown>>;

/** Undefined: the last line of a killed process may be cut off. */
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

export function isAtLeast({ level }: LogFields, least: Level): boolean {
  return LEVELS.indexOf(level as Level) >= LEVELS.indexOf(least);
}

const OPERATOR = "operator";
/** Fields that name a part of the gateway besides the platforms, and what that part is called. */
const AREAS = { server: "mcp", hook: "hooks", plugin: "plugins" } as const;

/** Areas that aren't platforms. */
export const OTHER_AREAS = [...Object.values(AREAS), OPERATOR, "gateway"] as const;

/** The platform or the part of the gateway that a line is about. What operators did may be about a platform, too. */
export function areaOf(entry: LogFields): string {
  if (entry.msg === OPERATOR) return OPERATOR;
  if (typeof entry.platform === "string") return entry.platform;
  const known = Object.entries(AREAS).find(([field]) => entry[field] !== undefined);
  return known ? known[1] : "gateway";
}

/** Everything but the time, the level and the message, as `key=value`. */
export function fieldsText(entry: LogFields): string {
  return Object.entries(entry)
    .filter(([key]) => !COMMON.has(key))
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}

const COMMON = new Set(["level", "time", "msg"]);
