/** An IMAP server (RFC 3501, with IDLE and SPECIAL-USE), as far as a client that reads mail uses it. */
import net, { type Socket } from "node:net";
import { headOf, type Mailbox, type StoredMail } from "./mailbox.js";

export interface ImapWorld {
  user: string;
  password: string;
  boxes: Record<string, Mailbox>;
  faults: { outage: boolean; silent: boolean; greetingMs: number };
  commands: string[];
}

export class ImapServer {
  readonly #world: ImapWorld;
  readonly #sockets = new Set<Socket>();
  #server: net.Server | undefined;
  #port = 0;

  constructor(world: ImapWorld) {
    this.#world = world;
  }

  get port(): number {
    return this.#port;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  async start(): Promise<void> {
    const server = net.createServer({ noDelay: true }, (socket) => this.#accept(socket));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as net.AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.disconnect();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): unknown {
    const { faults } = this.#world;
    if (faults.outage) return void socket.destroy();
    this.#sockets.add(socket);
    const session = new Session(socket, this.#world);
    socket.on("error", () => undefined);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      session.end();
    });
    const greet = () => session.write("* OK [CAPABILITY IMAP4rev1 IDLE SPECIAL-USE] ready");
    if (faults.greetingMs > 0) setTimeout(greet, faults.greetingMs);
    else greet();
  }
}

class Session {
  readonly #socket: Socket;
  readonly #world: ImapWorld;
  #input = "";
  #isIn = false;
  #box: Mailbox | undefined;
  #shown = 0;
  #idleTag: string | undefined;
  #unwatch = () => {};

  constructor(socket: Socket, world: ImapWorld) {
    this.#socket = socket;
    this.#world = world;
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => this.#read(String(chunk)));
  }

  end(): void {
    this.#unwatch();
  }

  write(line: string): void {
    if (!this.#world.faults.silent && !this.#socket.destroyed) this.#socket.write(`${line}\r\n`, "latin1");
  }

  #read(chunk: string): void {
    this.#input += chunk;
    for (let end = this.#input.indexOf("\r\n"); end >= 0; end = this.#input.indexOf("\r\n")) {
      const line = this.#input.slice(0, end);
      this.#input = this.#input.slice(end + 2);
      this.#line(line);
    }
  }

  #line(line: string): unknown {
    if (this.#idleTag !== undefined) {
      if (line.toUpperCase() !== "DONE") return;
      this.write(`${this.#idleTag} OK IDLE ended`);
      this.#idleTag = undefined;
      return;
    }
    const [tag = "*", ...words] = line.split(" ");
    const isUid = words[0]?.toUpperCase() === "UID";
    const name = (words[isUid ? 1 : 0] ?? "").toUpperCase();
    const rest = words.slice(isUid ? 2 : 1).join(" ");
    this.#world.commands.push(name);
    this.#run(tag, name, rest);
  }

  #run(tag: string, name: string, rest: string): unknown {
    if (!this.#isIn && !["CAPABILITY", "LOGIN", "LOGOUT", "NOOP", "ID"].includes(name))
      return this.write(`${tag} NO log in first`);
    switch (name) {
      case "CAPABILITY":
        this.write("* CAPABILITY IMAP4rev1 IDLE SPECIAL-USE");
        return this.write(`${tag} OK done`);
      case "LOGIN":
        return this.#login(tag, rest);
      case "LIST":
      case "LSUB":
        return this.#list(tag, name, rest);
      case "SELECT":
      case "EXAMINE":
        return this.#select(tag, stringsIn(rest)[0] ?? "");
      case "SEARCH":
        return this.#search(tag, rest);
      case "FETCH":
        return this.#fetch(tag, rest);
      case "IDLE":
        this.#idleTag = tag;
        this.write("+ idling");
        return this.#tell();
      case "NOOP":
        this.#tell();
        return this.write(`${tag} OK done`);
      case "LOGOUT":
        this.write("* BYE");
        this.write(`${tag} OK done`);
        return void this.#socket.end();
      default:
        return this.write(`${tag} BAD unknown command`);
    }
  }

  #login(tag: string, rest: string): void {
    const [user, password] = stringsIn(rest);
    this.#isIn = user === this.#world.user && password === this.#world.password;
    if (this.#isIn) this.write(`${tag} OK logged in`);
    else this.write(`${tag} NO [AUTHENTICATIONFAILED] Invalid credentials`);
  }

  #list(tag: string, name: string, rest: string): void {
    if (/^\S+ ""/.test(rest)) this.write(`* ${name} (\\Noselect) "/" ""`);
    else
      for (const box of Object.keys(this.#world.boxes))
        this.write(`* ${name} (${box === "INBOX" ? "" : `\\${box}`}) "/" ${box}`);
    this.write(`${tag} OK done`);
  }

  #select(tag: string, name: string): unknown {
    const box = this.#world.boxes[name];
    this.#unwatch();
    if (!box) return this.write(`${tag} NO [NONEXISTENT] no such mailbox`);
    this.#box = box;
    this.#shown = box.mails.length;
    this.#unwatch = box.watch(() => this.#idleTag !== undefined && this.#tell());
    this.write("* FLAGS (\\Seen \\Answered)");
    this.write(`* ${box.mails.length} EXISTS`);
    this.write("* 0 RECENT");
    this.write(`* OK [UIDVALIDITY ${box.validity}] valid`);
    this.write(`* OK [UIDNEXT ${box.uidNext}] next`);
    this.write(`${tag} OK [READ-ONLY] done`);
  }

  #tell(): void {
    const count = this.#box?.mails.length ?? 0;
    if (count === this.#shown) return;
    this.#shown = count;
    this.write(`* ${count} EXISTS`);
  }

  #search(tag: string, rest: string): void {
    const [, header = "", value = ""] = /HEADER (\S+) (.+)$/i.exec(rest) ?? [];
    const found = this.#box?.find(stringsIn(header)[0] ?? "", stringsIn(value)[0] ?? "") ?? [];
    this.write(`* SEARCH ${found.map(({ uid }) => uid).join(" ")}`.trimEnd());
    this.write(`${tag} OK done`);
  }

  #fetch(tag: string, rest: string): void {
    const [range = "", ...items] = rest.split(" ");
    const { mails = [] } = this.#box ?? {};
    const wanted = items.join(" ").toUpperCase();
    for (const [i, mail] of mails.entries())
      if (isIn(mail.uid, range, mails.at(-1)!.uid))
        this.write(`* ${i + 1} FETCH (${describe(mail, wanted)})`);
    this.write(`${tag} OK done`);
  }
}

function isIn(uid: number, range: string, newest: number): boolean {
  return range.split(",").some((piece) => {
    const [from, to = from] = piece.split(":").map((end) => (end === "*" ? newest : Number(end)));
    return uid >= Math.min(from!, to!) && uid <= Math.max(from!, to!);
  });
}

function describe(mail: StoredMail, wanted: string): string {
  const { uid, raw, atMs } = mail;
  const items = [`UID ${uid}`];
  if (wanted.includes("RFC822.SIZE")) items.push(`RFC822.SIZE ${raw.length}`);
  if (wanted.includes("INTERNALDATE")) items.push(`INTERNALDATE "${internalDate(atMs)}"`);
  if (wanted.includes("ENVELOPE")) items.push(envelope(raw));
  const fields = /BODY(?:\.PEEK)?\[HEADER\.FIELDS \(([^)]*)\)\]/.exec(wanted)?.[1];
  if (fields !== undefined) items.push(`BODY[HEADER.FIELDS (${fields})] ${literal(fieldsOf(raw, fields))}`);
  const source = /BODY(?:\.PEEK)?\[\](?:<(\d+)\.(\d+)>)?/.exec(wanted);
  if (source?.[2] !== undefined)
    items.push(`BODY[]<${source[1]}> ${literal(raw.toString("latin1").slice(0, Number(source[2])))}`);
  else if (source) items.push(`BODY[] ${literal(raw.toString("latin1"))}`);
  return items.join(" ");
}

const literal = (text: string) => `{${text.length}}\r\n${text}`;

function fieldsOf(raw: Buffer, names: string): string {
  const wanted = names.toLowerCase().split(" ");
  const lines = headOf(raw)
    .split("\r\n")
    .filter((line) => wanted.includes(line.split(":", 1)[0]!.toLowerCase()));
  return `${[...lines, ""].join("\r\n")}\r\n`;
}

function envelope(raw: Buffer): string {
  const subject = /^subject: ?(.*)$/im.exec(headOf(raw))?.[1]?.trim() ?? "";
  return `ENVELOPE (NIL ${literal(subject)} NIL NIL NIL NIL NIL NIL NIL NIL)`;
}

function internalDate(atMs: number): string {
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(atMs).toUTCString())!;
  return `${day}-${month}-${year} ${time} +0000`;
}

/** Words and quoted strings. */
function stringsIn(text: string): string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, word]) =>
    quoted === undefined ? word! : quoted.replace(/\\(.)/g, "$1"),
  );
}
