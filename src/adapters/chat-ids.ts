/** What a chat's id looks like on each platform. What doesn't look so is taken for the name of a chat. */
const SHAPES: Readonly<Record<string, RegExp>> = {
  telegram: /^(-?\d{1,16}|@\w{4,})$/,
  discord: /^\d{1,20}$/,
  slack: /^[CDGUW][A-Z0-9]{5,}$/,
  web: /^[0-9a-f]{32}$/,
  console: /^\S+$/,
};

export function isChatId(platform: string, text: string): boolean {
  return (SHAPES[platform] ?? /^\S+$/).test(text);
}

/** Programs that ask, time that passes, terminals that close: nobody is there to be told something unasked. */
const NOBODY_THERE = new Set(["api_server", "webhook", "cron", "cli"]);

/** The gateway's own platforms. */
export function isBuiltIn(platform: string): boolean {
  return Object.hasOwn(SHAPES, platform) || NOBODY_THERE.has(platform);
}

export function canBeTold(platform: string): boolean {
  return !NOBODY_THERE.has(platform);
}
