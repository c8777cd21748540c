import type { Adapter } from "../../src/adapters/adapter.js";
import { mattermostAdapter } from "../../src/adapters/mattermost/index.js";
import { type Channel, MattermostEmulator, type Post } from "../emulators/mattermost/index.js";
import { adapterContract } from "./adapter.js";
import { RestStage } from "./rest-stage.js";
import type { OpenOptions, Place, Platform } from "./stage.js";

class MattermostStage extends RestStage<MattermostEmulator> {
  readonly secrets: readonly string[];
  readonly sends = { method: "POST", path: /\/api\/v4\/posts$/ };
  readonly first = { method: "GET", path: /\/users\/me$/ };
  readonly refusal = {
    status: 403,
    body: { id: "api.context.permissions.app_error", message: "No permission" },
  };

  constructor(emulator: MattermostEmulator, options: OpenOptions) {
    super(emulator, options);
    this.secrets = [emulator.token];
    this.#furnish();
  }

  limited(seconds: number) {
    return {
      status: 429,
      body: { message: "limit exceeded" },
      headers: { "x-ratelimit-reset": String(seconds) },
    };
  }

  make(): Adapter {
    const limitMs = this.hasty ? 300 : 3000;
    return mattermostAdapter({
      token: this.secrets[0]!,
      apiUrl: this.emulator.url,
      log: this.logged,
      timing: {
        callMs: limitMs,
        helloMs: limitMs,
        pingMs: this.hasty ? 60 : 2000,
        backoff: { firstMs: 20, maxMs: 200 },
        receiveRetry: { firstMs: 10, maxMs: 100 },
        overlapMs: 1000,
        refusedMs: 200,
      },
    });
  }

  #furnish(): void {
    const { world } = this.emulator;
    const ann = world.user("ann");
    const town = world.channel("O", "Town Square", [ann]);
    const root = world.post(town, ann, "Let us talk here");
    this.#add("direct message", this.emulator.dm(ann), { chatType: "dm", threadId: null });
    this.#add("channel", world.channel("O", "Off-Topic", [ann]), { chatType: "channel", threadId: null });
    this.#add("private channel", world.channel("P", "Secrets", [ann]), { chatType: "group", threadId: null });
    this.#add("group message", world.channel("G", "ann, ben", [ann]), { chatType: "group", threadId: null });
    this.#add("thread", town, { chatType: "channel", threadId: root.id }, root.id);
  }

  #add(kind: string, channel: Channel, origin: Place["origin"], rootId = ""): void {
    const ann = [...this.emulator.world.users.values()].find(({ username }) => username === "ann")!;
    let last: Post | undefined;
    this.places.set(kind, {
      origin: { chatId: channel.id, userId: ann.id, userName: "ann", ...origin },
      say: (text) => {
        const words = channel.type === "D" ? text : `@hermes ${text}`;
        last = this.emulator.say(channel, ann, words, { root_id: rootId });
      },
      seen: () =>
        this.emulator.said(channel).map(({ id, message }) => ({ id, text: message, replyTo: null })),
      edit: (text) => this.emulator.edit(last!, text),
      remove: () => this.emulator.remove(last!),
    });
  }

  listeners = () => this.emulator.sockets.count;
  typing = () => this.emulator.typing.length;

  repeat(): void {
    this.emulator.sockets.duplicate = true;
  }

  babble(): void {
    const { sockets } = this.emulator;
    sockets.push("something_new", { what: "ever" }, "");
    for (const post of ["{", "null", "{}", JSON.stringify({ id: "1", message: 7 })])
      for (const event of ["posted", "post_edited", "post_deleted"]) sockets.push(event, { post }, "");
    sockets.push("posted", { post: 7 }, "");
    for (const frame of ["", "[]", "{", "null", "7"]) sockets.raw(frame);
  }

  override fallSilent(): void {
    super.fallSilent();
    this.emulator.sockets.silent = true;
  }

  override speakAgain(): void {
    super.speakAgain();
    this.emulator.sockets.silent = false;
  }

  revokeToken(): void {
    this.emulator.token = "another";
  }
}

const mattermost: Platform = {
  name: "mattermost",
  kinds: ["direct message", "channel", "private channel", "group message", "thread"],
  can: ["stream", "type", "look up"],
  lacks: {
    acknowledgement: "Mattermost wants none: a cursor moves with the message instead",
    quotes: "a reply would open a thread",
  },
  open: async (options) => new MattermostStage(await new MattermostEmulator().start(), options),
};

adapterContract(mattermost);
