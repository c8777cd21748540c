import { PigeonAdapter } from "../../examples/pigeon/adapter.js";
import type { Adapter } from "../../src/adapters/adapter.js";
import { PigeonEmulator, type Room } from "../emulators/pigeon.js";
import { adapterContract } from "./adapter.js";
import { never, type OpenOptions, type Place, type Stage } from "./stage.js";

const ROOMS: Record<string, Room> = {
  "direct chat": { id: "with-ann", direct: true, name: "Ann" },
  room: { id: "loft", direct: false, name: "The loft" },
};

class PigeonStage implements Stage {
  readonly #pigeon: PigeonEmulator;
  readonly #hasty: boolean;
  readonly #adapters: Adapter[] = [];
  readonly log: string[] = [];
  readonly secrets = ["feather"];

  constructor(pigeon: PigeonEmulator, { hasty }: OpenOptions) {
    this.#pigeon = pigeon;
    this.#hasty = hasty;
  }

  adapter(): Adapter {
    const adapter = new PigeonAdapter({
      url: this.#pigeon.url,
      token: `${this.#pigeon.bot}.feather`,
      log: (level, message) => this.log.push(`${level}: ${message}`),
      timing: { backoffMs: 5, ...(this.#hasty ? { pollSeconds: 0, callMs: 300 } : { callMs: 3000 }) },
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  place(kind: string): Place {
    const pigeon = this.#pigeon;
    const room = ROOMS[kind]!;
    const last = () => pigeon.messages.findLast((message) => !message.from.bot && message.room === room)!;
    return {
      origin: { chatType: room.direct ? "dm" : "group", chatId: room.id, userId: "ann" },
      say: (text) => void pigeon.say(room, "Ann", text, room.direct ? [] : [pigeon.bot]),
      seen: () =>
        pigeon.said(room).map(({ id, text, answers }) => ({ id, text, replyTo: answers?.id ?? null })),
      edit: (text) => pigeon.edit(last(), text),
      remove: () => pigeon.remove(last()),
    };
  }

  listeners = () => this.#pigeon.polls;
  requests = () => this.#pigeon.requests;
  posts = () => this.#pigeon.posts;
  typing = () => this.#pigeon.typing;
  acknowledged = () => this.#pigeon.confirmed === this.#pigeon.lastEvent;
  menu = never;
  pick = never;
  previews = never;

  repeat(): void {
    this.#pigeon.copies = 2;
  }

  babble(): void {
    this.#pigeon.tell("said", { id: "m0", room: null });
    this.#pigeon.tell("said", null);
    this.#pigeon.tell("tomorrow", { of: "something new" });
  }

  refuse = () => void this.#pigeon.faults.push({ status: 403, reason: "the room is locked" });
  drop = () => void this.#pigeon.faults.push("drop");
  goDown = () => this.#pigeon.goDown();

  limit(seconds: number): void {
    this.#pigeon.faults.push({ status: 429, reason: "too much", retryAfter: seconds });
  }

  stall(): void {
    this.#pigeon.delayMs = 900;
  }

  startSlowly(): void {
    this.#pigeon.delayMs = 300;
  }

  fallSilent(): void {
    this.#pigeon.delayMs = Number.POSITIVE_INFINITY;
  }

  speakAgain(): void {
    this.#pigeon.delayMs = 0;
  }

  async comeBack(): Promise<void> {
    await this.#pigeon.start();
  }

  revokeToken(): void {
    this.#pigeon.token = "another";
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    await this.#pigeon.close();
  }
}

adapterContract({
  name: "pigeon",
  kinds: Object.keys(ROOMS),
  can: ["type"],
  lacks: {},
  open: async (options) => new PigeonStage(await new PigeonEmulator().start(), options),
});
