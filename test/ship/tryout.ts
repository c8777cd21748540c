/** The installed package, from a fresh home to a first answer: what README says, and a look at the rest. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { plain, WebClient } from "../support/web-client.js";

export interface Tryout {
  /** Where it is installed. */
  folder: string;
  /** A user's home without a `.hermes`. */
  userHome: string;
  /** The Node that runs it. */
  node?: string;
}

export interface Tried {
  version: string;
  /** From the start of `hermes gateway`. */
  readyMs: number;
  answerMs: number;
  answer: string;
  /** The status of the web chat's page and of the dashboard's. */
  pages: number[];
  sessions: number;
  exitCode: number | null;
  /** Of `hermes chat -q`. */
  inTerminal: string;
  doctor: { ok: boolean };
  /** A session key, from the library. */
  key: string;
}

const READY = "Hermes Gateway is running: ";

export async function tryPackage(tryout: Tryout): Promise<Tried> {
  const version = (await run(tryout, "--version")).trim();
  const startedAt = performance.now();
  const gateway = start(tryout, [bin(tryout), "gateway", "--port", "0"]);
  try {
    const url = await readyAt(gateway);
    const readyMs = performance.now() - startedAt;
    const person = new WebClient(url);
    await person.send("hello");
    const [answer] = await person.told("answer");
    const answerMs = performance.now() - startedAt;
    const pages = await Promise.all(["/", "/dashboard"].map((page) => statusOf(url + page, tryout)));
    const sessions = JSON.parse(await run(tryout, "sessions", "list", "--json")) as { sessions: unknown[] };
    gateway.kill("SIGTERM");
    const [exitCode] = (await once(gateway, "exit")) as [number | null];
    return {
      ...{ version, readyMs, answerMs, answer: answer!, pages, exitCode },
      sessions: Object.values(sessions).flat().length,
      inTerminal: plain(await run(tryout, "chat", "-q", "once more")).trim(),
      doctor: JSON.parse(await run(tryout, "doctor", "--offline", "--json")) as Tried["doctor"],
      key: await keyFromLibrary(tryout),
    };
  } finally {
    gateway.kill("SIGKILL");
  }
}

/** With the owner's own token. */
async function statusOf(address: string, { userHome }: Tryout): Promise<number> {
  const token = fs.readFileSync(path.join(userHome, ".hermes/dashboard.token"), "utf8").trim();
  return (await fetch(address, { headers: { authorization: `Bearer ${token}` } })).status;
}

const bin = ({ folder }: Tryout) => path.join(folder, "node_modules/.bin/hermes");

/** The output of `hermes …`. */
async function run(tryout: Tryout, ...args: string[]): Promise<string> {
  return finished(start(tryout, [bin(tryout), ...args]), args.join(" "));
}

function keyFromLibrary(tryout: Tryout): Promise<string> {
  const code = `import { sessionKey } from "hermes-gateway";
    const isolation = { groupSessionsPerUser: true, threadSessionsPerUser: false };
    process.stdout.write(sessionKey({ platform: "web", chatType: "dm", chatId: "7" }, isolation));`;
  return finished(start(tryout, ["--input-type=module", "-e", code]), "the library");
}

export function start({ folder, userHome, node = process.execPath }: Tryout, args: string[]): ChildProcess {
  const env = { PATH: `${path.dirname(node)}:${process.env.PATH}`, HOME: userHome, NO_COLOR: "1" };
  return spawn(node, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
}

async function finished(child: ChildProcess, what: string): Promise<string> {
  const [[code], stdout, stderr] = await Promise.all([
    once(child, "close") as Promise<[number | null]>,
    text(child.stdout!),
    text(child.stderr!),
  ]);
  if (code !== 0) throw new Error(`${what} ended with ${code}: ${stderr}`);
  return stdout;
}

async function readyAt(gateway: ChildProcess): Promise<string> {
  const stderr = text(gateway.stderr!);
  for await (const line of createInterface(gateway.stdout!))
    if (line.startsWith(READY)) return line.slice(READY.length);
  throw new Error(`The gateway ended before it was ready: ${await stderr}`);
}
