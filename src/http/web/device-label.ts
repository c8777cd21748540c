/** A short name for a browser, from its user agent. Pure. */

const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bChrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b|\biPad\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

export function deviceLabel(userAgent: string | undefined): string {
  const text = (userAgent ?? "").slice(0, 500);
  const match = (names: typeof BROWSERS) => names.find(([pattern]) => pattern.test(text))?.[1];
  return [match(BROWSERS) ?? "A browser", match(SYSTEMS)].filter(Boolean).join(" on ");
}
