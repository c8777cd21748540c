import fs from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

const EXECUTABLE = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ARGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** One Chromium for all tests of a file. `CHROMIUM` names another one than the system's. */
export function useBrowser(): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    if (!fs.existsSync(EXECUTABLE))
      throw new Error(`No Chromium at ${EXECUTABLE}: apt-get install chromium, or set CHROMIUM to its path.`);
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGS.split(" ") });
  });
  afterAll(() => browser?.close());
  return () => browser;
}
