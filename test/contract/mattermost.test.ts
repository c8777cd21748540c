import type { Adapter } from "../../src/adapters/adapter.js";
import { type MattermostAdapter, mattermostAdapter } from "../../src/adapters/mattermost/index.js";
import { actionsOf, type Channel, MattermostEmulator, type Post } from "../emulators/mattermost/index.js";
import { type CallbackServer, serveCallbacks } from "../support/serve-callbacks.js";
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

  readonly #gateway: CallbackServer;
  /** All of this stage; the newest one is called. */
  readonly #made: MattermostAdapter[];

  constructor(
    emulator: MattermostEmulator,
    gateway: CallbackServer,
    made: MattermostAdapter[],
    options: OpenOptions,
  ) {
    super(emulator, options);
    this.#gateway = gateway;
    this.#made = made;
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
    const adapter = mattermostAdapter({
      token: this.secrets[0]!,
      apiUrl: this.emulator.url,
      callbackUrl: this.#gateway.url,
      commands: ["status"],
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
    this.#made.push(adapter);
    return adapter;
  }

  #furnish(): void {
    const { world } = this.emulator;
    const ann = world.user("ann");
    world.user("ben");
    const town = world.channel("O", "Town Square", [ann]);
    const root = world.post(town, ann, "Let us talk here");
    this.#add("direct message", this.emulator.dm(ann), { chatType: "dm", threadId: null });
    this.#add("channel", world.channel("O", "Off-Topic", [ann]), { chatType: "channel", threadId: null });
    this.#add("private channel", world.channel("P", "Secrets", [ann]), { chatType: "group", threadId: null });
    this.#add("group message", world.channel("G", "ann, ben", [ann]), { chatType: "group", threadId: null });
    this.#add("thread", town, { chatType: "channel", threadId: root.id }, root.id);
  }

  #add(kind: string, channel: Channel, origin: Place["origin"], rootId = ""): void {
    const ann = this.#user("ann");
    let last: Post | undefined;
    this.places.set(kind, {
      origin: { chatId: channel.id, userId: ann.id, userName: "ann", ...origin },
      say: (text) => {
        const words = channel.type === "D" ? text : `@hermes ${text}`;
        last = this.emulator.say(channel, ann, words, { root_id: rootId });
      },
      seen: () =>
        this.emulator.said(channel).map((post) => ({
          ...{ id: post.id, text: post.message, replyTo: null },
          buttons: actionsOf(post).map(({ name }) => name),
        })),
      press: (message, label, who) => {
        const by = who === undefined ? ann : this.#user("ben");
        this.emulator.integrations.press(this.emulator.world.posts.get(message.id)!, label, by);
        return by.id;
      },
      edit: (text) => this.emulator.edit(last!, text),
      remove: () => this.emulator.remove(last!),
    });
  }

  #user(name: string) {
    return [...this.emulator.world.users.values()].find(({ username }) => username === name)!;
  }

  pressesAcknowledged = () => this.emulator.integrations.acknowledged;

  override menu(): string[] {
    return this.emulator.integrations.commands.map(({ trigger }) => trigger);
  }

  override pick(kind: string, command: string): void {
    const { chatId } = this.place(kind).origin;
    this.emulator.integrations.run(this.emulator.world.channels.get(chatId!)!, this.#user("ann"), command);
  }

  listeners = () => this.emulator.sockets.count;
  typing = () => this.emulator.typing.length;

  repeat(): void {
    this.emulator.sockets.duplicate = true;
    this.emulator.integrations.duplicate = true;
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

  override async close(): Promise<void> {
    await super.close();
    this.#gateway.close();
  }

  revokeToken(): void {
    this.emulator.token = "another";
  }
}

const mattermost: Platform = {
  name: "mattermost",
  kinds: ["direct message", "channel", "private channel", "group message", "thread"],
  can: ["stream", "type", "look up", "ask", "register commands"],
  lacks: {
    acknowledgement: "Mattermost wants none: a cursor moves with the message instead",
    quotes: "a reply would open a thread",
  },
  open: async (options) => {
    const made: MattermostAdapter[] = [];
    const gateway = await serveCallbacks(() => made.at(-1)?.callbacks ?? []);
    return new MattermostStage(await new MattermostEmulator().start(), gateway, made, options);
  },
};

adapterContract(mattermost);
