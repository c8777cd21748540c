import { parseArgs } from "node:util";

/** Options of a bench. */
export interface BenchOptions {
  /** A tenth of the size, to check that it runs. */
  quick: boolean;
  /** Save the results in `bench/`. */
  write: boolean;
}

type Bench = { bench(options: BenchOptions): Promise<void> };

const BENCHES: Record<string, { about: string; load: () => Promise<Bench> }> = {
  store: {
    about: "the store, compared with plain better-sqlite3 and the v11 schema",
    load: () => import("./store.js"),
  },
  turns: {
    about: "an echo turn through the whole gateway, compared with a loop without storage",
    load: () => import("./turns.js"),
  },
  against: {
    about: "turns, compared alternately with those of another checkout (HERMES_BENCH_BASE)",
    load: () => import("./against.js"),
  },
  http: {
    about: "/v1/chat/completions with the echo agent, compared with a bare route of the same server",
    load: () => import("./http.js"),
  },
  chats: {
    about: "50,000 chats: start, memory, sweep, sessions.json; main-thread cost of a turn",
    load: () => import("./chats.js"),
  },
  start: {
    about: "start time and idle memory of the daemon",
    load: () => import("./start.js"),
  },
  telegram: {
    about: "time from a short Telegram message to its answer",
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
  if (name !== undefined) console.error(`Unknown bench '${name}'.`);
  console.error("npm run bench -- <name> [--quick] [--write]");
  for (const [known, { about }] of Object.entries(BENCHES)) console.error(`  ${known.padEnd(8)} ${about}`);
  process.exitCode = name === undefined ? 0 : 2;
}
