import type { Adapter } from "../../src/adapters/adapter.js";
import { slackAdapter } from "../../src/adapters/slack/index.js";
import { buttonsIn, SlackEmulator, type StoredMessage, visibleText } from "../emulators/slack/index.js";
import { adapterContract } from "./adapter.js";
import { never, type OpenOptions, type Place, type Platform, type Stage } from "./stage.js";

const BOT = "<@U0BOT>";

class SlackStage implements Stage {
  readonly #slack: SlackEmulator;
  readonly #places = new Map<string, Place & { channel: string }>();
  readonly #adapters: Adapter[] = [];
  readonly #hasty: boolean;
  readonly log: string[] = [];

  constructor(slack: SlackEmulator, { hasty }: OpenOptions) {
    this.#slack = slack;
    this.#hasty = hasty;
    this.#furnish();
  }

  get secrets(): string[] {
    return [this.#slack.botToken, this.#slack.appToken];
  }

  adapter(): Adapter {
    const limitMs = this.#hasty ? 300 : 3000;
    const adapter = slackAdapter({
      token: this.#slack.botToken,
      appToken: this.#slack.appToken,
      apiUrl: this.#slack.apiUrl,
      log: (level, text) => this.log.push(`${level}: ${text}`),
      timing: {
        callMs: limitMs,
        lookUpMs: limitMs,
        settleMs: 100,
        pingMs: this.#hasty ? 90 : 300,
        helloMs: limitMs,
        reconnectMs: 20,
        reconnectMaxMs: 100,
        hopelessMs: 100,
        patienceMs: limitMs,
        catchUpMs: 5000,
        typingMs: 50,
        closeMs: 200,
      },
    });
    this.#adapters.push(adapter);
    return adapter;
  }

  place(kind: string): Place {
    return this.#places.get(kind)!;
  }

  #furnish(): void {
    const { workspace } = this.#slack;
    workspace.addPerson("U1", "Ann");
    workspace.addPerson("U2", "Ben");
    this.#slack.room("D1", "im", ["U1"]);
    this.#slack.room("G1", "mpim", ["U1", "U2"], "mpdm-ann--ben-1");
    this.#slack.room("C1", "channel", ["U1", "U2"], "general");
    this.#slack.room("C2", "private", ["U1", "U2"], "secret");
    this.#slack.room("C3", "channel", ["U1", "U2"], "talk");
    const anHourAgo = Date.now() - 3_600_000;
    const root = this.#slack.say({
      channel: "C3",
      user: "U2",
      text: "a topic",
      silently: true,
      atMs: anHourAgo,
    });
    this.#add("direct message", "D1", "dm");
    this.#add("channel", "C1", "group");
    this.#add("private channel", "C2", "group");
    this.#add("group message", "G1", "group");
    this.#add("thread", "C3", "group", root.ts);
  }

  #add(kind: string, channel: string, chatType: string, threadTs?: string): void {
    const slack = this.#slack;
    let last: StoredMessage | undefined;
    const thread = () => threadTs ?? last?.ts;
    this.#places.set(kind, {
      channel,
      get origin() {
        return { chatType, chatId: channel, threadId: thread() ?? null, userId: "U1", userName: "Ann" };
      },
      say: (text) => {
        const words = chatType === "dm" ? text : `${BOT} ${text}`;
        last = slack.say({ channel, user: "U1", text: words, ...(threadTs ? { threadTs } : {}) });
      },
      seen: () =>
        slack.workspace
          .seen(channel)
          .filter((message) => message.threadTs === thread())
          .map((message) => ({
            id: message.ts,
            text: visibleText(message),
            replyTo: null,
            buttons: buttonsIn(message).map(({ text }) => text.text),
          })),
      edit: (text) => slack.edit(channel, last!.ts, text),
      remove: () => slack.delete(channel, last!.ts),
      press: ({ id }, label, who) => {
        const person = who === undefined ? "U1" : "U2";
        slack.press(channel, id, label, person);
        return person;
      },
    });
  }

  listeners = () => this.#slack.sockets.count;
  requests = () => this.#slack.calls.length;
  posts = () => this.#slack.callsOf("chat.postMessage").length;
  acknowledged = () => this.#slack.deliveries.all.every(({ state }) => state === "acked");
  reactions = () => [...this.#slack.workspace.reactions].map((key) => key.split(" ")[1]!);
  typing = () => this.#slack.workspace.statuses.length;
  /** It stands in the app's manifest. */
  menu = () => ["status"];
  previews = never;
  pressesAcknowledged = () =>
    this.#slack.deliveries.all.filter(({ type, state }) => type === "interactive" && state === "acked")
      .length;
  repeat = () => this.#slack.duplicateNext(10);

  babble(): void {
    const slack = this.#slack;
    slack.event({ type: "emoji_changed", subtype: "add" });
    slack.event({ type: "message", channel: "D1" });
    slack.event({ type: "message", channel: "D1", ts: "yesterday", user: "U1", text: "broken" });
    slack.event({});
    slack.deliveries.submit("interactive", { type: "block_actions" });
    const actions = [{ type: "button", action_id: "q:a:b", text: null }];
    slack.deliveries.submit("interactive", { type: "block_actions", actions, user: { id: "U1" } });
    slack.deliveries.submit("interactive", { type: "block_actions", actions: [{ action_id: "other" }] });
    slack.sockets.broadcast({ type: "something_new" });
    const payload = { type: "app_rate_limited" };
    slack.sockets.broadcast({ type: "events_api", envelope_id: "e1", payload });
  }

  pick(kind: string, command: string): void {
    this.#slack.command(this.#places.get(kind)!.channel, "U1", "/hermes", command);
  }

  refuse = () => this.#slack.faults.next("chat.postMessage", { kind: "error", error: "not_in_channel" });
  drop = () => this.#slack.faults.next("chat.postMessage", { kind: "cut_after" });
  stall = () => this.#slack.faults.next("chat.postMessage", { kind: "delay", ms: 900 });
  startSlowly = () => this.#slack.faults.next("auth.test", { kind: "delay", ms: 300 });
  goDown = () => this.#slack.goDown();

  limit(seconds: number): void {
    for (const method of ["chat.postMessage", "chat.startStream"])
      this.#slack.faults.rateLimit(method, seconds);
  }

  async comeBack(): Promise<void> {
    await this.#slack.start();
  }

  revokeToken(): void {
    for (const token of this.secrets) this.#slack.revoked.set(token, "token_revoked");
  }

  fallSilent(): void {
    this.#slack.faults.silent = true;
    this.#slack.sockets.withholdPongs = true;
  }

  speakAgain(): void {
    this.#slack.faults.silent = false;
    this.#slack.sockets.withholdPongs = false;
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    await this.#slack.close();
  }
}

const slack: Platform = {
  name: "slack",
  kinds: ["direct message", "channel", "private channel", "group message", "thread"],
  can: ["stream", "type", "look up", "register commands", "ask", "react"],
  lacks: { quotes: "Slack answers in a thread instead" },
  open: async (options) => {
    // Real retries come after a minute and after five.
    const emulator = new SlackEmulator({ ackTimeoutMs: 300, retryDelaysMs: Array(100).fill(50) });
    return new SlackStage(await emulator.start(), options);
  },
};

adapterContract(slack);
