import { parseArgs } from "node:util";

/** What a bench is run with, and what it may say on the way. */
export interface BenchOptions {
  /** A tenth of everything: does it run at all? */
  quick: boolean;
  /** Keep the table in `bench/results.md`. */
  write: boolean;
}

type Bench = { bench(options: BenchOptions): Promise<void> };

const BENCHES: Record<string, { about: string; load: () => Promise<Bench> }> = {
  store: {
    about: "the store against bare better-sqlite3 with v11's schema",
    load: () => import("./store.js"),
  },
  turns: {
    about: "a turn of the echo agent through the whole gateway, against a loop that keeps nothing",
    load: () => import("./turns.js"),
  },
  http: {
    about: "/v1/chat/completions with the echo agent, against a bare route of the same server",
    load: () => import("./http.js"),
  },
  chats: {
    about: "50,000 chats: start, memory, sweep, sessions.json; what a turn costs the main thread",
    load: () => import("./chats.js"),
  },
  start: {
    about: "how long a start takes and how much memory an idle daemon has",
    load: () => import("./start.js"),
  },
  telegram: {
    about: "from a short Telegram message to its answer",
    load: () => import("./telegram.js"),
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false }, write: { type: "boolean", default: false } },
});
const [name] = positionals;
const chosen = name === undefined ? undefined : BENCHES[name];

if (chosen) {
  await (await chosen.load()).bench(values);
} else {
  if (name !== undefined) console.error(`There is no bench '${name}'.`);
  console.error("npm run bench -- <name> [--quick] [--write]");
  for (const [known, { about }] of Object.entries(BENCHES)) console.error(`  ${known.padEnd(8)} ${about}`);
  process.exitCode = name === undefined ? 0 : 2;
}
