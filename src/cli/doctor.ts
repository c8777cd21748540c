/** `hermes doctor`: is everything in order here, and if not, what to do. */

import { stat } from "node:fs/promises";
import { Command } from "commander";
import { nowSeconds } from "../clock.js";
import { ConfigError, faultLine } from "../config/faults.js";
import { loadConfig } from "../config/load.js";
import { homePaths, resolveHome } from "../config/paths.js";
import { describeError, HermesError } from "../errors.js";
import { readIndex } from "../sessions/index-file.js";
import type { DeadLetter } from "../store/queues.js";
import type { Store } from "../store/store.js";
import { oneLine, shorten } from "./cells.js";
import { counted } from "./numbers.js";
import { withStore } from "./open.js";
import { jsonOption } from "./options.js";
import { colors, print, printJson } from "./output.js";
import { withProgress } from "./progress.js";
import { localMinute, relativeTime } from "./times.js";

type State = "ok" | "warn" | "fail";

interface Finding {
  check: string;
  state: State;
  message: string;
  /** What to do about it. */
  fix?: string;
}

interface DoctorOptions {
  deep?: boolean;
  retry?: string;
  json?: boolean;
}

export function doctorCommand(): Command {
  return new Command("doctor")
    .description("Check the configuration, the files and the queues; exit code 1 where something is wrong")
    .option("--deep", "read the whole database too")
    .option("--retry <id>", "give a dead message another chance: its id (in:12, out:34), or all")
    .addOption(jsonOption())
    .action((options: DoctorOptions) =>
      options.retry === undefined ? examine(options) : retry(options.retry, options),
    );
}

async function examine({ deep, json }: DoctorOptions): Promise<void> {
  const home = resolveHome(process.env);
  const { findings, dead } = await findAll(home, deep ?? false);
  const ok = findings.every(({ state }) => state !== "fail");
  if (!ok) process.exitCode = 1;
  if (json) printJson({ ok, findings, dead });
  else print([...findings.map(drawFinding), ...dead.map(drawDead)].join("\n"));
}

/** The store last, since what it has given up is listed below its finding. */
async function findAll(home: string, deep: boolean): Promise<{ findings: Finding[]; dead: DeadLetter[] }> {
  const before = [
    checkConfig(home),
    await checkHome(home),
    ...(await checkSecretFiles(home)),
    await guarded("gateway", () => checkLock(home)),
    await guarded("sessions.json", () => checkIndex(home)),
  ];
  const { findings, dead } = await checkStore(deep);
  return { findings: [...before, ...findings], dead };
}

const ok = (check: string, message: string): Finding => ({ check, state: "ok", message });
const warn = (check: string, message: string, fix: string): Finding => ({
  check,
  state: "warn",
  message,
  fix,
});
const fail = (check: string, message: string, fix?: string): Finding => ({
  check,
  state: "fail",
  message,
  ...(fix === undefined ? {} : { fix }),
});

/** A check that can't be made is a finding too. */
async function guarded(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    const { message, hint } = describeError(error);
    return fail(check, message, hint);
  }
}

function drawFinding({ check, state, message, fix }: Finding): string {
  const mark = { ok: colors.green("ok  "), warn: colors.yellow("warn"), fail: colors.red("fail") }[state];
  const lines = message.split("\n").map(oneLine).join("\n        ");
  return `${mark}  ${check}: ${lines}${fix ? `\n      → ${oneLine(fix)}` : ""}`;
}

// --- configuration and files --------------------------------------------------------------------------------------

function checkConfig(home: string): Finding {
  try {
    const { ignored } = loadConfig({ home, env: process.env });
    const unused =
      ignored.length === 0 ? "" : ` (${counted(ignored.length, "key")} of Hermes Agent not used)`;
    return ok("config", `loads${unused}`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return fail(
      "config",
      error.faults.map(faultLine).join("\n"),
      "Mend these; `hermes config check` looks again.",
    );
  }
}

const MODE = 0o777;
const OTHERS = 0o077;

async function checkHome(home: string): Promise<Finding> {
  const found = await stat(home).catch(() => undefined);
  if (!found) return warn("home", `${home} doesn't exist yet`, "It is made when the gateway first starts.");
  if (!found.isDirectory())
    return fail("home", `${home} is not a folder`, "Name another with --home or HERMES_HOME.");
  const mode = found.mode & MODE;
  if ((mode & OTHERS) === 0) return ok("home", `${home} is its owner's alone`);
  return warn("home", `${home} is open to others (mode ${octal(mode)})`, `chmod 700 ${home}`);
}

/** What others must not read: tokens and conversations. Files that aren't there need no check. */
async function checkSecretFiles(home: string): Promise<Finding[]> {
  const { envFile, configFile, stateDb, sessionsIndex } = homePaths(home);
  const found = await Promise.all([envFile, configFile, stateDb, sessionsIndex].map(checkPrivate));
  return found.flat();
}

async function checkPrivate(path: string): Promise<Finding[]> {
  const found = await stat(path).catch(() => undefined);
  const mode = (found?.mode ?? 0) & MODE;
  if ((mode & OTHERS) === 0) return [];
  return [warn("permissions", `${path} can be read by others (mode ${octal(mode)})`, `chmod 600 ${path}`)];
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, "0");
}

async function checkLock(home: string): Promise<Finding> {
  const { readLock } = await import("../store/sqlite/lock.js");
  const { running, info } = await readLock(home);
  if (!running) return ok("gateway", "not running");
  if (!info) return ok("gateway", "running");
  const where = info.url ? ` at ${info.url}` : "";
  return ok("gateway", `running${where} (pid ${info.pid}, since ${localMinute(info.started_at)})`);
}

async function checkIndex(home: string): Promise<Finding> {
  const index = await readIndex(homePaths(home).sessionsIndex);
  if (index === "missing") return ok("sessions.json", "not written yet");
  const rewrite = "The gateway writes it anew from the database when it starts; a corrupt one is kept aside.";
  if ("corrupt" in index) return warn("sessions.json", `can't be read: ${index.corrupt}`, rewrite);
  if (index.problems.length > 0) return warn("sessions.json", index.problems.join("\n"), rewrite);
  return ok("sessions.json", counted(index.entries.length, "chat"));
}

// --- the store ----------------------------------------------------------------------------------------------------

async function checkStore(deep: boolean): Promise<{ findings: Finding[]; dead: DeadLetter[] }> {
  try {
    return await withStore(
      async (store) => {
        const dead = await store.deadLetters();
        return {
          findings: [await openedWell(store), ...(await readWell(store, deep)), deadFinding(dead)],
          dead,
        };
      },
      () => ({ findings: [ok("database", "not made yet")], dead: [] }),
    );
  } catch (error) {
    const { message, hint } = describeError(error);
    return { findings: [fail("database", message, hint)], dead: [] };
  }
}

async function openedWell(store: Store): Promise<Finding> {
  const { sessions, messages, schemaVersion, layout } = await store.stats();
  const contents = `${counted(sessions, "session")}, ${counted(messages, "message")}`;
  return ok("database", `opens (schema ${schemaVersion}, ${layout}): ${contents}`);
}

async function readWell(store: Store, deep: boolean): Promise<Finding[]> {
  if (!deep) return [];
  const { ok: sound, problems } = await withProgress((onProgress) => store.check(onProgress));
  if (sound) return [ok("integrity", "every page and index is sound")];
  return [fail("integrity", problems.join("\n"), "Run `hermes sessions repair`; it keeps a copy.")];
}

function deadFinding(dead: readonly DeadLetter[]): Finding {
  if (dead.length === 0) return ok("queues", "nothing was given up");
  const fix = "`hermes doctor --retry ID` or `--retry all` tries again.";
  return warn("queues", `${counted(dead.length, "message")} given up:`, fix);
}

const TEXT_CELLS = 48;

function drawDead({ id, platform, chatId, text, error, attempts, at }: DeadLetter): string {
  const head = [id, platform, chatId ?? "", counted(attempts, "attempt"), relativeTime(at, nowSeconds())];
  const lines = [
    `  ${head
      .filter((part) => part !== "")
      .map(oneLine)
      .join("  ")}`,
    `    ${shorten(oneLine(text), TEXT_CELLS)}`,
    `    ${oneLine(error ?? "no reason is known")}`,
  ];
  return lines.map((line) => `    ${line}`).join("\n");
}

async function retry(id: string, { json }: DoctorOptions): Promise<void> {
  if (id !== "all" && !/^(in|out):\d+$/.test(id)) {
    throw new HermesError("invalid", `'${id}' is not the id of a dead message.`, {
      hint: "`hermes doctor` lists them: in:12, out:34. Or say all.",
    });
  }
  const retried = await withStore(
    (store) => (id === "all" ? store.retryDead() : store.retryDead(id)),
    () => 0,
  );
  if (retried === 0 && id !== "all") throw new HermesError("not_found", `No dead message has the id ${id}.`);
  if (json) printJson({ retried });
  else print(`${counted(retried, "message")} will be tried again.`);
}
