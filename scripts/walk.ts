/**
 * `npm run walk`: follows one Telegram message through the gateway and counts how often the code jumps between files
 * and folders. Compiles the sources, wraps every named function, starts the gateway against the Telegram emulator with
 * the echo agent and records every call between the update and the settled delivery.
 */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { TelegramEmulator } from "../test/emulators/telegram/index.js";
import { instrument } from "./walk/instrument.js";

const ROOT = path.resolve(import.meta.dirname, "..");
/** Inside the package, where the compiled code finds its package.json. */
const OUT = path.join(ROOT, "dist/walk");
const LAST_VERB = "settleDelivery";
const ANSWER_MS = 20_000;
/** Number of runs, each with a new person. The one with the fewest calls has the least unrelated work. */
const WALKS = 5;
/** Enough for post-turn work to finish. An odd interval, so the outbox isn't polled at the same moment each time. */
const QUIET_MS = 730;

/** Observers, and containers as general as Map and p-queue, which aren't counted either. */
const EXCLUDED = [
  /^(?:log|log-events|clock|trace-id|events|kill-point)\.ts$|^metrics\/|^http\/dashboard\/|\/event-facts\.ts$/,
  /^(?:bounded-map|serial-queue|backoff|timeout)\.ts$/,
];

interface Step {
  file: string;
  name: string;
  /** Set for calls of the store's thread. */
  verb?: string | undefined;
}

const { values } = parseArgs({
  options: { json: { type: "boolean", default: false }, trace: { type: "boolean", default: false } },
});

let steps: Step[] = [];
let isRecording = false;
let onVerb: (verb: string) => void = () => undefined;
Object.assign(globalThis, {
  __walk(file: string, name: string, verb?: string) {
    if (isRecording && !EXCLUDED.some((pattern) => pattern.test(file))) steps.push({ file, name, verb });
    if (verb !== undefined) onVerb(verb);
  },
});

compile();
const walks = await walk();
report(walks.toSorted((a, b) => a.length - b.length)[0]!);
process.exit(0);

function compile(): void {
  fs.rmSync(OUT, { recursive: true, force: true });
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", OUT], {
    cwd: ROOT,
    stdio: "inherit",
  });
  for (const name of fs.readdirSync(OUT, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".js")) continue;
    const file = path.join(OUT, name);
    fs.writeFileSync(file, instrument(name.replace(/\.js$/, ".ts"), fs.readFileSync(file, "utf8")));
  }
}

async function walk(): Promise<Step[][]> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-walk-"));
  const telegram = await new TelegramEmulator().start();
  const { url, token } = telegram;
  const config = `allow_all: true\nlog: {level: error}\ncron: {enabled: false}\nplatforms: {telegram: {token: "${token}", api_root: "${url}"}}\n`;
  fs.writeFileSync(path.join(home, "config.yaml"), config, { mode: 0o600 });
  const { startGateway } = (await import(path.join(OUT, "main.js"))) as typeof import("../src/main.js");
  const env = { HERMES_HOME: home, PATH: process.env.PATH };
  const gateway = await startGateway({ env, flags: { "http.port": 0 } });
  const found: Step[][] = [];
  for (let n = 0; n < WALKS; n += 1) {
    const person = telegram.users.person(`Ann ${n}`);
    found.push(await record(() => telegram.users.writeDm(person, "hello there")));
  }
  await gateway.stop();
  await telegram.close();
  for (const folder of [home, OUT]) fs.rmSync(folder, { recursive: true, force: true });
  return found;
}

async function record(say: () => void): Promise<Step[]> {
  await sleep(QUIET_MS);
  steps = [];
  isRecording = true;
  say();
  await nextCall(LAST_VERB);
  isRecording = false;
  return steps.slice(0, steps.findIndex(({ verb }) => verb === LAST_VERB) + 1);
}

function nextCall(wanted: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No ${wanted} within ${ANSWER_MS} ms`)), ANSWER_MS);
    onVerb = (verb) => {
      if (verb !== wanted) return;
      clearTimeout(timer);
      resolve();
    };
  });
}

function report(seen: readonly Step[]): void {
  const verbs = seen.flatMap(({ verb }) => verb ?? []);
  const folders = seen.map(({ file }) => folderOf(file));
  const figures = {
    calls: seen.length,
    files: new Set(seen.map(({ file }) => file)).size,
    fileSwitches: switches(seen.map(({ file }) => file)),
    folderSwitches: switches(folders),
    principalOf: seen.filter(({ name }) => name === "principalOf").length,
    storeRoundTrips: verbs.length,
    verbs,
    entered: entered(folders),
  };
  if (values.trace) print(seen);
  if (values.json) console.log(JSON.stringify(figures, null, 2));
  else printFigures(figures);
}

function print(seen: readonly Step[]): void {
  let before = "";
  for (const { file, name, verb } of seen) {
    if (file !== before) console.log(file);
    console.log(`    ${name}${verb === undefined ? "" : ` → ${verb}`}`);
    before = file;
  }
}

function printFigures({ verbs, entered: entries, ...counts }: Record<string, unknown>): void {
  for (const [what, count] of Object.entries(counts)) console.log(`${what.padEnd(16)} ${count}`);
  console.log(`verbs            ${(verbs as string[]).join(", ")}`);
  const list = Object.entries(entries as Record<string, number>).map(([folder, n]) => `${folder} ${n}`);
  console.log(`entered          ${list.join(", ")}`);
}

/** A directory under src; each platform counts separately, and so do the files directly in src. */
function folderOf(file: string): string {
  const [first = "", second = "", third] = file.split("/");
  if (second === "") return ".";
  return first === "adapters" && third !== undefined ? `${first}/${second}` : first;
}

function switches(places: readonly string[]): number {
  return places.filter((place, i) => i > 0 && place !== places[i - 1]).length;
}

function entered(folders: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const [i, folder] of folders.entries())
    if (folder !== folders[i - 1]) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
}
