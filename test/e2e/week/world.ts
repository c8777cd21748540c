/** One home, its daemon, its three platforms with all their kinds of chats, and what should become of them. */
import path from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished } from "vitest";
import type { Random } from "../../../bench/random.js";
import { rows } from "../../support/agreement.js";
import { Daemon } from "../../support/daemon.js";
import { allConnected, type Platforms, platformsYaml, startPlatforms } from "../../support/platforms.js";
import { until } from "../../support/until.js";
import { type Chat, makeChats } from "../support/chats.js";
import { Conversation, Rules, type Settings } from "./model.js";

const CHATS_PER_PLATFORM = 6;
/** They may quote a title, which is made of what was said. */
const COMMAND_REPLY = /^(✨|[•-] Session|The last session ended)/;
const TOKEN = /\bc\d+p\d+m\d+\b/g;

/** Memory flushes are tasks in the inbox: no person sent them. */
const PROGRESS = `SELECT (SELECT count(*) FROM gw_inbox WHERE event_id NOT LIKE 'memory:%') AS received,
  (SELECT count(*) FROM gw_inbox WHERE state IN ('waiting', 'running'))
    + (SELECT count(*) FROM gw_outbox WHERE state IN ('pending', 'sending')) AS open`;

/** A conversation as the model has it, and where its key can be read: in the inbox, beside its first words. */
interface Known {
  model: Conversation;
  chat: number;
  firstToken: string;
  key?: string;
}

export class World {
  readonly rules: Rules;
  readonly daemon: Daemon;
  readonly #platforms: Platforms;
  readonly #chats: Chat[];
  readonly #random: Random;
  readonly #conversations = new Map<string, Known>();
  /** Tokens in the order of writing, by conversation. */
  readonly #asked = new Map<string, string[]>();
  #db: Database.Database | undefined;
  /** Everything that was said, for the report of what is missing. */
  readonly #sent: { kind: string; text: string }[] = [];
  #said = 0;

  static async open(
    settings: Settings,
    span: { fromMs: number; toMs: number },
    random: Random,
  ): Promise<World> {
    const platforms = await startPlatforms();
    const top = Object.entries(settings)
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      .join("\n");
    const slack = "dm_top_level_threads_as_sessions: true";
    const daemon = new Daemon({ yaml: platformsYaml(platforms, { top, slack }) });
    const world = { platforms, daemon, chats: makeChats(platforms, CHATS_PER_PLATFORM), random };
    return new World(new Rules(settings, span.fromMs, span.toMs), world);
  }

  private constructor(
    rules: Rules,
    world: { platforms: Platforms; daemon: Daemon; chats: Chat[]; random: Random },
  ) {
    this.rules = rules;
    this.daemon = world.daemon;
    this.#platforms = world.platforms;
    this.#chats = world.chats;
    this.#random = world.random;
    onTestFinished(() => void this.#db?.close());
  }

  async start(env: Record<string, string>): Promise<void> {
    await this.daemon.start(env);
    await allConnected(this.#platforms);
  }

  get models(): Conversation[] {
    return [...this.#conversations.values()].map(({ model }) => model);
  }

  /** Some or all people write; now and then one starts a new session or only reads. */
  talk(nowMs: number, everybody: boolean): void {
    for (const [chat, { people }] of this.#chats.entries()) {
      if (!everybody && !this.#random.chance(0.25)) continue;
      const person = this.#random.between(0, people - 1);
      const mood = this.#random.next();
      if (mood < 0.08) this.#begin(nowMs, chat, person);
      else if (mood < 0.16) this.#say(chat, person, `/status k${this.#said}`);
      else for (let i = mood < 0.3 ? 2 : 1; i > 0; i--) this.#ask(nowMs, chat, person);
    }
  }

  #ask(nowMs: number, chat: number, person: number): void {
    const token = `c${chat}p${person}m${this.#said}`;
    const name = this.#nameOf(chat, person);
    this.#known(name, chat, token).model.message(nowMs, token);
    this.#asked.set(name, [...(this.#asked.get(name) ?? []), token]);
    this.#say(chat, person, token);
  }

  #begin(nowMs: number, chat: number, person: number): void {
    const token = `k${this.#said}`;
    this.#known(this.#nameOf(chat, person), chat, token).model.begin(nowMs);
    this.#say(chat, person, `/new ${token}`);
  }

  #say(chat: number, person: number, text: string): void {
    this.#said += 1;
    const { kind } = this.#chats[chat]!;
    this.#sent.push({ kind, text });
    this.#chats[chat]!.say(person, text);
  }

  #nameOf(chat: number, person: number): string {
    return `${chat}/${this.#chats[chat]!.conversation(person, this.#said)}`;
  }

  #known(name: string, chat: number, firstToken: string): Known {
    const known = this.#conversations.get(name);
    if (known) return known;
    const { platform, chatType } = this.#chats[chat]!;
    const made = { model: new Conversation(this.rules, platform, chatType), chat, firstToken };
    this.#conversations.set(name, made);
    return made;
  }

  /** Everything that was said has come in, and nothing waits or is on its way. */
  async settled(): Promise<void> {
    const look = () => this.#read<{ received: number; open: number }>(PROGRESS)[0]!;
    const isSettled = ({ received, open } = look()) => received === this.#said && open === 0;
    await until(`all ${this.#said} messages are dealt with`, () => isSettled(), {
      timeoutMs: 30_000,
      found: () => ({ ...look(), missing: this.#missing() }),
    });
    for (const known of this.#conversations.values()) known.key ??= this.#keyOf(known);
  }

  /** What was said and isn't in the inbox. */
  #missing(): string[] {
    const texts = this.#read<{ text: string }>(
      "SELECT json_extract(payload, '$.text') AS text FROM gw_inbox",
    );
    return this.#sent
      .filter(({ text }) => !texts.some((row) => row.text.endsWith(text)))
      .map(({ kind, text }) => `${kind}: ${text}`);
  }

  #keyOf({ firstToken }: Known): string {
    const found = this.#read<{ key: string }>(
      "SELECT session_key AS key FROM gw_inbox WHERE json_extract(payload, '$.text') LIKE ?",
      `%${firstToken}`,
    );
    return found[0]!.key;
  }

  /** The sweep has ended what is due, for the right reason, and nothing else. */
  async swept(nowMs: number): Promise<void> {
    for (const model of this.models) model.sweep(nowMs);
    const wanted = Object.fromEntries(
      [...this.#conversations.values()].map(({ key, model }) => [key, model.expired ?? null]),
    );
    const found = () => {
      const routes = this.#read<{ key: string; reason: string | null }>(
        "SELECT session_key AS key, expired_reason AS reason FROM gw_routes",
      );
      return Object.fromEntries(routes.map(({ key, reason }) => [key, reason]));
    };
    const due = JSON.stringify(sorted(wanted));
    await until("the sweep has gone over it", () => JSON.stringify(sorted(found())) === due, {
      timeoutMs: 30_000,
      found: () => differences(wanted, found()),
    });
  }

  #read<T>(query: string, ...params: unknown[]): T[] {
    this.#db ??= new Database(path.join(this.daemon.home, "state.db"), { readonly: true, timeout: 5000 });
    return this.#db.prepare(query).all(...params) as T[];
  }

  // ── at the end ────────────────────────────────────────────────────────────────────────────────────────────────

  /** The sessions that were opened, what was said in each, and how they ended. */
  expectSessions(): void {
    const { home } = this.daemon;
    const spoken = rows<{ id: string; content: string }>(
      home,
      "SELECT session_id AS id, content FROM messages WHERE role = 'user' ORDER BY id",
    );
    const sessions = rows<{
      id: string;
      end_reason: string | null;
      started_at: number;
      ended_at: number | null;
    }>(home, "SELECT id, end_reason, started_at, ended_at FROM sessions");
    const tokensOf = (id: string) =>
      spoken.filter((one) => one.id === id).flatMap(({ content }) => tokensIn(content));
    const found = sessions.map(
      ({ id, end_reason }) => `${tokensOf(id).join(" ")}: ${end_reason ?? "goes on"}`,
    );
    const wanted = this.models.flatMap((model) =>
      model.sessions.map(
        ({ tokens, ended }) => `${tokens.join(" ")}: ${ended ? "session_reset" : "goes on"}`,
      ),
    );
    expect(found.toSorted()).toEqual(wanted.toSorted());
    const backwards = sessions.filter(
      ({ started_at, ended_at }) => ended_at !== null && ended_at < started_at,
    );
    expect(backwards).toEqual([]);
  }

  /** Every answer in its place, once, in order; every chat got the reason of its reset. */
  expectAnswers(): void {
    for (const [chat, { kind, said }] of this.#chats.entries()) {
      const texts = said();
      const answered = texts.filter((text) => !COMMAND_REPLY.test(text)).flatMap(tokensIn);
      const here = [...this.#conversations].filter(([, known]) => known.chat === chat);
      const asked = here.map(([name]) => this.#asked.get(name) ?? []);
      expect(answered.toSorted(), kind).toEqual(asked.flat().toSorted());
      for (const tokens of asked)
        expect(
          answered.filter((token) => tokens.includes(token)),
          kind,
        ).toEqual(tokens);
      const told = texts.flatMap((text) => /^◐ .*\((inactive|daily)/.exec(text)?.[1] ?? []);
      const reasons = here.flatMap(([, { model }]) => model.notices);
      expect(told.toSorted(), kind).toEqual(
        reasons.map((reason) => (reason === "idle" ? "inactive" : "daily")).toSorted(),
      );
    }
  }
}

const tokensIn = (text: string) => text.match(TOKEN) ?? [];

function sorted(record: Record<string, unknown>): [string, unknown][] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function differences(wanted: Record<string, unknown>, found: Record<string, unknown>): object[] {
  const keys = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  return [...keys]
    .filter((key) => wanted[key] !== found[key])
    .map((key) => ({ key, wanted: wanted[key], found: found[key] }));
}
