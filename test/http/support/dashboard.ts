import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Demo, type DemoOptions, makeDemo } from "../../../scripts/demo/history.js";
import { forSeveral } from "../../support/at-end.js";
import { Daemon } from "../../support/daemon.js";
import { tempDir } from "../../support/temp.js";
import { type Answer, ask } from "./request.js";

export const TOKEN = "a-token-of-some-length";

export interface Shown {
  daemon: Daemon;
  demo: Demo;
  /** As a program with the token asks. */
  get<T>(path: string): Promise<T>;
  ask(
    path: string,
    asked?: { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Answer>;
}

/** The same, once for all tests of a file that change nothing that others look at. */
export function sharedDashboard(): () => Shown {
  let shared: { made: Shown; end(): Promise<void> };
  beforeAll(async () => {
    shared = await forSeveral(() => startDashboard());
  }, 60_000);
  afterAll(() => shared?.end());
  return () => shared.made;
}

/** The real daemon on a home with a made-up history. */
export async function startDashboard(options: DemoOptions & { yaml?: string } = {}): Promise<Shown> {
  const home = path.join(tempDir(), "home");
  fs.mkdirSync(home, { mode: 0o700 });
  const demo = await makeDemo(home, { days: 4, perDay: 4, traffic: 20, ...options });
  const yaml = options.yaml ?? `http: {token: ${TOKEN}}\n`;
  fs.writeFileSync(path.join(home, "config.yaml"), yaml, { mode: 0o600 });
  const daemon = await new Daemon({ home }).start();
  const authorization = `Bearer ${TOKEN}`;
  return {
    daemon,
    demo,
    get: async <T>(what: string) => {
      const answer = await ask(`${daemon.url}/api/dashboard${what}`, { headers: { authorization } });
      if (answer.status !== 200) throw new Error(`${what}: ${answer.status} ${answer.text}`);
      return JSON.parse(answer.text) as T;
    },
    ask: (what, { headers = {}, ...asked } = {}) =>
      ask(`${daemon.url}${what}`, { ...asked, headers: { authorization, ...headers } }),
  };
}
