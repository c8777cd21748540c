import fs from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

/** The headless shell starts faster and uses less CPU. */
const EXECUTABLES = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const ARGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** One for all test files of a process. Playwright ends it with the process. */
let launched: Promise<Browser> | undefined;

/** Each test opens a context of its own. `CHROMIUM` names another browser than the system's. */
export function useBrowser(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    launched ??= launch();
    browser = await launched;
  });
  afterAll(async () => {
    for (const context of browser?.contexts() ?? []) await context.close();
  });
  return () => browser;
}

async function launch(): Promise<Browser> {
  const { CHROMIUM } = process.env;
  const known = CHROMIUM ? [CHROMIUM] : EXECUTABLES;
  const executablePath = known.find((file) => fs.existsSync(file));
  if (executablePath === undefined)
    throw new Error(
      `No Chromium at ${known.join(" or ")}: apt-get install chromium-headless-shell, or set CHROMIUM to its path.`,
    );
  return chromium.launch({ executablePath, args: ARGS.split(" ") });
}
