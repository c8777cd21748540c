/** Formats numbers, times and sizes. The text is English; the browser's languages decide which English locale. */

const locale = navigator.languages.find((language) => /^en\b/.test(language)) ?? "en";

const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const dollars = new Intl.NumberFormat(locale, {
  style: "currency",
  currency: "USD",
  currencyDisplay: "narrowSymbol",
});
const cents = new Intl.NumberFormat(locale, {
  style: "currency",
  currency: "USD",
  currencyDisplay: "narrowSymbol",
  minimumFractionDigits: 4,
});
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const fullDateTime = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "medium" });
const clockTime = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const exactTime = new Intl.DateTimeFormat(locale, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});
const localDay = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
const dayName = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });

export const number = (value: number) => whole.format(value);
/** In full below 10,000 (1,234), compact above (12.3K). */
export const short = (value: number) => (value < 10_000 ? whole.format(value) : compact.format(value));
/** Rounded to the cent; smaller amounts are shown as <$0.01. */
export const money = (usd: number) =>
  usd > 0 && usd < 0.01 ? `<${dollars.format(0.01)}` : dollars.format(usd);
export const exactMoney = (usd: number) => cents.format(usd);

export const moment = (at: number) => dateTime.format(at * 1000);
export const fullMoment = (at: number) => fullDateTime.format(at * 1000);
export const clock = (at: number) => clockTime.format(at * 1000);
export const exactClock = (at: number) => exactTime.format(at * 1000);
/** 16 Jun, in the browser's time zone. */
export const dayOf = (at: number | undefined) => (at === undefined ? "" : localDay.format(at * 1000));
/** `2026-06-16` → 16 Jun. */
export const day = (iso: string) => dayName.format(new Date(`${iso}T00:00:00Z`));

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_556_952],
  ["month", 2_629_746],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

export function ago(at: number, now: number): string {
  const seconds = at - now;
  if (Math.abs(seconds) < 5) return "just now";
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit);
  return relative.format(Math.trunc(seconds), "second");
}

/** 340 ms, 12.4 s, 3 m 20 s, 2 h 5 m, 4 d 3 h. */
export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [Math.floor(seconds) % 60, "s"],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(" ");
}

export function bytes(count: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  const value = count / 1000 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

/** With one decimal below 10 ms. */
export const milliseconds = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;

const NAMES: Record<string, string> = {
  api_server: "API",
  cli: "Terminal",
  console: "Console",
  cron: "Schedules",
  discord: "Discord",
  slack: "Slack",
  telegram: "Telegram",
  web: "Web chat",
  webhook: "Webhooks",
  whatsapp: "WhatsApp",
};

const COLORS: Record<string, number> = {
  api_server: 6,
  cron: 2,
  discord: 3,
  slack: 4,
  telegram: 5,
  web: 1,
  webhook: 6,
};

/** The platform's number in the colour palette. Platforms without a colour of their own share number 7. */
export const platformColor = (platform: string) => COLORS[platform] ?? 7;

export function platformName(platform: string): string {
  return NAMES[platform] ?? platform.charAt(0).toUpperCase() + platform.slice(1);
}

/** Indents JSON; returns other text unchanged. */
export function indentedJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
