/** `hermes doctor`: checks everything and suggests fixes. */
import { Command } from "commander";
import { nowSeconds } from "../../clock.js";
import { resolveHome } from "../../config/paths.js";
import { type Config, configSchema } from "../../config/schema.js";
import { found } from "../../finding.js";
import type { MembershipState } from "../../store/membership.js";
import { membershipOf } from "../../store/open.js";
import type { DeadLetter } from "../../store/reports.js";
import type { Store } from "../../store/store.js";
import { io } from "../io.js";
import { withStore } from "../open.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { checkIntegrity, describeContents, judgeSize, retentionDays } from "./database.js";
import { checkDisk, checkHome, checkIndex, checkPermissions } from "./files.js";
import { describeLock, describeMcp, describePlatforms } from "./gateway.js";
import { askTime, checkSqlite, checkTimezone, judgeClock } from "./machine.js";
import { checkModels, checkPlatforms, timeServer } from "./network.js";
import { deadLetters, drawDeadLetters, judgeQueues, retryDead, vitalsOf } from "./queues.js";
import { type Check, drawCheck, failure, look, named } from "./report.js";
import { checkAccess, checkConfig, checkNoModel } from "./settings.js";

interface DoctorOptions {
  deep?: boolean;
  offline?: boolean;
  retry?: string;
  json?: boolean;
}

export function doctorCommand(): Command {
  return new Command("doctor")
    .description("Check the installation and suggest fixes; exit code 1 if something is broken")
    .option("--offline", "make no network calls")
    .option("--deep", "check the whole database, even if it is large")
    .option("--retry <id>", "retry a failed message: its id (in:12, out:34), or all")
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action((options: DoctorOptions) =>
      options.retry === undefined ? examine(options) : retryDead(options.retry, options),
    );
}

const HELP = `
Checks the configuration, the files, the machine, the database and the queues, asks every platform about its bot (token,
intents, scopes, webhook) and sends every model a short question. It doesn't disturb a running gateway. Each line is ok, warn or fail;
only fail makes the exit code 1.`;

async function examine({ deep, offline, json }: DoctorOptions): Promise<void> {
  const home = resolveHome(io().env);
  const { checks, dead } = await checkAll(home, deep ?? false, offline ?? false);
  const ok = checks.every(({ state }) => state !== "fail");
  if (!ok) io().exitCode = 1;
  if (json) printJson({ ok, findings: checks, dead });
  else print([...checks.map(drawCheck), ...drawDeadLetters(dead)].join("\n"));
}

/** The queues last, because failed messages are listed below. */
async function checkAll(home: string, deep: boolean, offline: boolean) {
  const { finding, plugins, config } = await checkConfig(home);
  const lock = await readLock(home);
  const running = !("check" in lock) && lock.running;
  const network = offline ? Promise.resolve(LEFT_OUT) : askOutside(config, { running, home });
  const theirs = offline || !config ? undefined : askTimeOf(config);
  const local = [
    ...named("config", [finding]),
    ...named("plugins", plugins),
    ...named("access", config ? checkAccess(config) : []),
    ...named("model", config ? checkNoModel(config) : []),
    ...(await look("home", () => checkHome(home))),
    ...(await look("permissions", () => checkPermissions(home))),
    ...(await look("disk", () => checkDisk(home))),
    ...(await look("sqlite", checkSqlite)),
    ...("check" in lock
      ? [lock]
      : [
          ...named("gateway", [describeLock(lock), ...describePlatforms(lock, nowSeconds())]),
          ...named("mcp", describeMcp(lock)),
        ]),
    ...(await look("sessions.json", () => checkIndex(home))),
  ];
  const store = await checkStore({ config, deep, running });
  const clock = { now: nowSeconds(), newestMessageAt: store.newestMessageAt };
  const heard = await theirs;
  const checks = [
    ...local,
    ...(await look("clock", () => judgeClock({ ...clock, ...(heard ? { theirs: heard } : {}) }))),
    ...(config ? await look("timezone", () => checkTimezone(config, new Date())) : []),
    ...(await network),
    ...store.checks,
  ];
  return { checks, dead: store.dead };
}

const LEFT_OUT: Check[] = named("network", [found.ok("skipped (--offline)")]);

async function askOutside(
  config: Config | undefined,
  where: { running: boolean; home: string },
): Promise<Check[]> {
  if (!config)
    return named("network", [
      found.warn("platforms and models were not checked", "Fix the configuration first."),
    ]);
  const [platforms, models] = await Promise.all([checkPlatforms(config, where), checkModels(config)]);
  return [...platforms, ...models];
}

async function askTimeOf(config: Config) {
  const server = timeServer(config);
  return server === undefined ? undefined : askTime(server);
}

async function readLock(home: string): Promise<MembershipState | Check> {
  try {
    return await membershipOf(home).state();
  } catch (error) {
    return { check: "gateway", ...failure(error) };
  }
}

// --- the store ----------------------------------------------------------------------------------------------------

interface StoreLook {
  /** Undefined if it doesn't load, so the defaults are used. */
  config: Config | undefined;
  deep: boolean;
  running: boolean;
}

interface StoreFound {
  checks: Check[];
  dead: DeadLetter[];
  newestMessageAt: number | null;
}

async function checkStore(looking: StoreLook): Promise<StoreFound> {
  const nothing = { dead: [], newestMessageAt: null };
  try {
    return await withStore(
      (store) => examineStore(store, looking),
      () => ({ checks: named("database", [found.ok("doesn't exist yet")]), ...nothing }),
    );
  } catch (error) {
    return { checks: named("database", [failure(error)]), ...nothing };
  }
}

async function examineStore(store: Store, { config, deep, running }: StoreLook): Promise<StoreFound> {
  const { sessions, agent } = config ?? configSchema.parse({});
  const { reports, maintenance } = store;
  const stats = await reports.stats();
  const vitals = vitalsOf(await reports.queueDepths());
  const dead = await deadLetters(reports);
  const { sessions: prunable } = await store.pruneSessions({
    olderThanDays: retentionDays(sessions, running),
    dryRun: true,
  });
  const { databaseBytes } = stats;
  const facts = { vitals, dead, running, turnSeconds: agent.gateway_timeout, now: nowSeconds() };
  const checks = [
    ...named("database", [describeContents(stats, await maintenance.layout())]),
    ...(await look("integrity", () => checkIntegrity(store, databaseBytes, deep))),
    ...named("size", [judgeSize(databaseBytes, prunable, sessions, running)]),
    ...named("queues", judgeQueues(facts)),
  ];
  return { checks, dead, newestMessageAt: stats.newestMessageAt };
}
