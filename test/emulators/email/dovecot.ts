/** A real IMAP server for tests: Debian's dovecot 2.3 on loopback, with the mailboxes of one user in a temporary folder. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { ImapFlow } from "imapflow";
import { atEnd } from "../../support/at-end.js";
import { tempDir } from "../../support/temp.js";
import { until } from "../../support/until.js";
import type { Mailbox } from "./mailbox.js";

/** Undefined: it is installed. */
export function dovecotMissing(): string | undefined {
  const { stdout } = spawnSync("dovecot", ["--version"], { encoding: "utf8" });
  if (stdout?.startsWith("2.3.")) return undefined;
  return `needs dovecot 2.3 (apt-get install dovecot-imapd), found ${stdout?.trim() || "none"}`;
}

interface Login {
  user: string;
  password: string;
}

/** Dovecot doesn't open mailboxes as root. */
const NOBODY = { uid: 65_534, gid: 65_534, name: "nobody", group: "nogroup" };

function runsAs() {
  const { uid, gid, username } = os.userInfo();
  return uid === 0 ? NOBODY : { uid, gid, name: username, group: groupName(gid) };
}

function groupName(gid: number): string {
  const groups = fs.readFileSync("/etc/group", "utf8").split("\n");
  const [name = ""] = groups.map((line) => line.split(":")).find(([, , id]) => id === String(gid)) ?? [];
  return name;
}

export class Dovecot {
  readonly port: number;
  readonly #login: Login;
  readonly #folder: string;
  #process: ChildProcess | undefined;
  #client: Promise<ImapFlow> | undefined;
  #tail: Promise<unknown> = Promise.resolve();

  private constructor(login: Login, port: number, folder: string) {
    this.#login = login;
    this.port = port;
    this.#folder = folder;
  }

  static async start(login: Login): Promise<Dovecot> {
    const folder = tempDir();
    const { uid, gid } = runsAs();
    fs.chownSync(folder, uid, gid);
    const dovecot = new Dovecot(login, await freePort(), folder);
    fs.writeFileSync(path.join(folder, "dovecot.conf"), configOf(folder, dovecot.port, login.password));
    atEnd(() => dovecot.stop());
    await dovecot.launch();
    return dovecot;
  }

  /** The same mailboxes on the same port. */
  async launch(): Promise<void> {
    const { uid, gid } = runsAs();
    const args = ["-F", "-c", path.join(this.#folder, "dovecot.conf")];
    this.#process = spawn("dovecot", args, { uid, gid, stdio: "ignore" });
    const log = () => fs.readFileSync(path.join(this.#folder, "log"), "utf8");
    await until("dovecot answers", () => answers(this.port), { found: log });
  }

  async stop(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    client?.close();
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }

  /** What comes into the emulated mailbox comes into this one, in order. */
  mirror(from: Mailbox, box: string): void {
    let next = 0;
    from.watch(() => {
      for (const { raw } of from.mails.slice(next)) void this.append(box, raw);
      next = from.mails.length;
    });
  }

  append(box: string, raw: Buffer): Promise<void> {
    const work = this.#tail.then(async () => void (await (await this.#opened()).append(box, raw)));
    this.#tail = work.catch(() => undefined);
    return work;
  }

  /** All that was to be added is there. */
  async settled(): Promise<void> {
    await this.#tail;
  }

  /** The flags of each mail, oldest first. */
  async flags(box: string): Promise<string[][]> {
    const client = await this.#opened();
    await client.mailboxOpen(box, { readOnly: true });
    const mails = await client.fetchAll("1:*", { flags: true });
    return mails.map(({ flags }) => [...(flags ?? [])]);
  }

  #opened(): Promise<ImapFlow> {
    this.#client ??= this.#open();
    return this.#client;
  }

  async #open(): Promise<ImapFlow> {
    const { user, password: pass } = this.#login;
    const options = { host: "127.0.0.1", port: this.port, secure: false, logger: false } as const;
    const client = new ImapFlow({ ...options, auth: { user, pass } });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }
}

function configOf(folder: string, port: number, password: string): string {
  const { uid, gid, name, group } = runsAs();
  return `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_internal_user = ${name}
default_internal_group = ${group}
default_login_user = ${name}
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:${folder}/mail
mailbox_list_index = no
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}
}
namespace inbox {
  inbox = yes
  mailbox Sent {
    auto = create
    special_use = \\Sent
  }
}
`;
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** It has greeted. */
async function answers(port: number): Promise<boolean> {
  const socket = net.connect(port, "127.0.0.1");
  try {
    const [greeting] = await once(socket, "data");
    return String(greeting).startsWith("* OK");
  } catch {
    // It doesn't listen yet.
    return false;
  } finally {
    socket.destroy();
  }
}
