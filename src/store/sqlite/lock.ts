/**
 * Allows one gateway per home. The lock is an open exclusive transaction on a small SQLite file. The kernel
 * releases it when the process dies, so there are no stale locks or recycled pids. `gateway.lock.json`
 * describes the holder and is trusted only while the lock is held.
 *
 * Hermes Agent uses `gateway.lock` (a plain file under flock) and `gateway.json` (settings), so ours have other names.
 */
import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Database as Connection } from "better-sqlite3";
import { HermesError } from "../../errors.js";
import { ifMissing } from "../../missing.js";
import { readRegular } from "../../regular-file.js";
import type { GatewayInfo, Member, MembershipState } from "../membership.js";
import { Database } from "./driver.js";
import { explainFault, isBusy } from "./faults.js";
import { lockHolders } from "./lock-holders.js";

/** A reader locks the file only for a moment; a gateway for its lifetime. */
const LOOKING_MS = 250;

export async function acquireLock(home: string, info: GatewayInfo): Promise<Member> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const pid = (await lockHolders(agentLock(home), "FLOCK"))[0];
  if (pid !== undefined) throw agentRuns(home, pid);
  const held = await takeLock(home);
  if (held === undefined) throw alreadyRuns(home, await readInfo(home));
  try {
    const afterCrash = (await readInfo(home)) !== undefined;
    await writeInfo(home, info);
    return new HeldLock(home, held, info, afterCrash);
  } catch (error) {
    held.close();
    throw error;
  }
}

export async function readLock(home: string): Promise<MembershipState> {
  const running = await isHeld(home);
  const info = await readInfo(home);
  if (running) return info ? { running, info } : { running };
  const agentPid = (await lockHolders(agentLock(home), "FLOCK"))[0];
  return {
    running,
    ...(info ? { crashed: info } : {}),
    ...(agentPid === undefined ? {} : { agentPid }),
  };
}

/** Keep a reference: garbage collection closes connections and would release the lock. */
const heldConnections = new Set<Connection>();

class HeldLock implements Member {
  readonly afterCrash: boolean;
  readonly #home: string;
  readonly #db: Connection;
  #info: GatewayInfo;

  constructor(home: string, db: Connection, info: GatewayInfo, afterCrash: boolean) {
    this.#home = home;
    this.afterCrash = afterCrash;
    this.#db = db;
    this.#info = info;
    heldConnections.add(db);
  }

  async update(changes: Partial<GatewayInfo>): Promise<void> {
    this.#info = { ...this.#info, ...changes };
    await writeInfo(this.#home, this.#info);
  }

  async leave(): Promise<void> {
    if (!this.#db.open) return;
    await rm(infoFile(this.#home), { force: true });
    this.#db.close();
    heldConnections.delete(this.#db);
  }
}

const lockFile = (home: string) => join(home, "gateway.lock.db");
const agentLock = (home: string) => join(home, "gateway.lock");
const infoFile = (home: string) => join(home, "gateway.lock.json");

/** Undefined if another process has it. */
async function takeLock(home: string): Promise<Connection | undefined> {
  const path = lockFile(home);
  await createPrivately(path);
  let db: Connection | undefined;
  try {
    db = new Database(path, { timeout: LOOKING_MS });
    db.exec("BEGIN EXCLUSIVE");
    return db;
  } catch (error) {
    db?.close();
    if (isBusy(error)) return undefined;
    throw explainFault(error, path);
  }
}

/** Only if it doesn't exist: opening and closing a file that this process has locked would release the lock. */
async function createPrivately(path: string): Promise<void> {
  try {
    await (await open(path, "wx", 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Checks without taking the lock: reads fail while a gateway holds it. */
async function isHeld(home: string): Promise<boolean> {
  const path = lockFile(home);
  if (!(await stat(path).catch(ifMissing(undefined)))) return false;
  let db: Connection | undefined;
  try {
    db = new Database(path, { readonly: true, timeout: 0 });
    db.prepare("SELECT count(*) FROM sqlite_master").get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw explainFault(error, path);
  } finally {
    db?.close();
  }
}

async function writeInfo(home: string, info: GatewayInfo): Promise<void> {
  const temporary = join(home, `.gateway_${randomBytes(4).toString("hex")}.tmp`);
  const handle = await open(temporary, "wx", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(info, null, 2)}\n`);
  } finally {
    await handle.close();
  }
  await rename(temporary, infoFile(home));
}

async function readInfo(home: string): Promise<GatewayInfo | undefined> {
  try {
    const info = JSON.parse((await readRegular(infoFile(home))).toString()) as GatewayInfo;
    return Number.isInteger(info.pid) && Number.isFinite(info.started_at) ? info : undefined;
  } catch {
    return undefined;
  }
}

function alreadyRuns(home: string, info: GatewayInfo | undefined): HermesError {
  const who = info ? ` (pid ${info.pid}, since ${localSecond(info.started_at)})` : "";
  return new HermesError("conflict", `A gateway is already running on ${home}${who}.`, {
    hint: "Stop it with `hermes gateway stop`, or choose another home with --home DIR or HERMES_HOME.",
  });
}

function agentRuns(home: string, pid: number): HermesError {
  return new HermesError("conflict", `Hermes Agent's own gateway is running on ${home} (pid ${pid}).`, {
    hint: "Two gateways would answer every message twice. Stop that one first (hermes gateway stop).",
  });
}

/** `2026-06-16 09:15:23` in local time. */
function localSecond(epochSeconds: number): string {
  const date = new Date(epochSeconds * 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
