/**
 * Slack on loopback: the Web API, Socket Mode and the Events API over HTTP, with a workspace to inspect, users to act as,
 * and faults on demand. Set `api_url` to `emulator.apiUrl`.
 */
import { EventEmitter } from "node:events";
import { pressOf } from "./buttons.js";
import { Deliveries, type Delivery } from "./deliveries.js";
import { Faults } from "./faults.js";
import { ALL_SCOPES } from "./methods.js";
import { ApiServer } from "./server.js";
import { type Endpoint, postTo } from "./signed-posts.js";
import { Sockets } from "./sockets.js";
import { Tiers } from "./tiers.js";
import type { ConversationType, StoredMessage } from "./types.js";
import { wireMessage } from "./wire.js";
import { Workspace } from "./workspace.js";

export { buttonsIn } from "./buttons.js";
export type { Delivery } from "./deliveries.js";
export { signature, signedRequest } from "./signed-posts.js";
export { type StoredMessage, visibleText } from "./types.js";

export interface EmulatorOptions {
  port?: number;
  /** Slack's is three seconds. */
  ackTimeoutMs?: number;
  retryDelaysMs?: readonly number[];
  /** Length of a minute for the rate limits; 0 disables them. */
  minuteMs?: number;
}

export interface Said {
  channel: string;
  user: string;
  text: string;
  threadTs?: string;
  files?: readonly { name: string; content: Buffer; mimetype?: string }[];
  attachments?: unknown[];
  subtype?: string;
  /** Adds it to the history without an event. */
  silently?: boolean;
  /** Epoch milliseconds. */
  atMs?: number;
  ts?: string;
}

const CHANNEL_TYPE = { im: "im", mpim: "mpim", channel: "channel", private: "group" } as const;

export class SlackEmulator {
  readonly botToken = "xoxb-111-222-emulator";
  readonly appToken = "xapp-1-A0EMU-333-emulator";
  readonly signingSecret = "emulated-signing-secret";
  readonly workspace = new Workspace();
  readonly faults = new Faults();
  readonly scopes = new Set(ALL_SCOPES);
  readonly revoked = new Map<string, string>();
  readonly deliveries: Deliveries;
  readonly sockets: Sockets;
  readonly #server: ApiServer;
  #port: number;
  readonly #events = new EventEmitter().setMaxListeners(0);
  #repeats = 0;
  #count = 0;

  constructor(options: EmulatorOptions = {}) {
    const { port = 0, ackTimeoutMs = 3000, retryDelaysMs = [0, 60_000, 300_000], minuteMs = 0 } = options;
    const changed = () => void this.#events.emit("change");
    this.#port = port;
    this.deliveries = new Deliveries({ ackTimeoutMs, retryDelaysMs }, changed);
    this.sockets = new Sockets(this.deliveries, this.workspace.appId, changed);
    this.deliveries.carryWith((delivery) => !this.faults.outage && this.sockets.carry(delivery));
    this.#server = new ApiServer({
      faults: this.faults,
      tiers: new Tiers(minuteMs),
      context: { workspace: this.workspace, ticket: () => this.sockets.ticket() },
      scopes: this.scopes,
      botToken: this.botToken,
      appToken: this.appToken,
      revoked: this.revoked,
      upgrade: (request, socket, head) => this.sockets.upgrade(request, socket, head),
      changed,
    });
  }

  async start(): Promise<this> {
    this.#port = await this.#server.listen(this.#port);
    return this;
  }

  /** Closes the port. `start` opens the same one again. */
  async goDown(): Promise<void> {
    this.sockets.cut();
    await this.#server.close();
  }

  async close(): Promise<void> {
    this.deliveries.close();
    this.sockets.close();
    await this.#server.close();
  }

  /** For `platforms.slack` in config.yaml. */
  get settings() {
    return { token: this.botToken, app_token: this.appToken, api_url: this.apiUrl };
  }

  get apiUrl(): string {
    return `${this.#server.url}/api/`;
  }

  get calls() {
    return this.#server.calls;
  }

  callsOf(method: string) {
    return this.calls.filter((call) => call.method === method);
  }

  /** Delivers events over HTTP instead of the socket from now on. */
  postEventsTo(endpoint: Endpoint): void {
    this.deliveries.carryWith(postTo(endpoint, this.signingSecret, this.deliveries));
  }

  /** Checks after every change and resolves with the first result that isn't undefined or false. */
  async until<T>(look: () => T | undefined | false, timeoutMs = 10_000): Promise<T> {
    const end = Date.now() + timeoutMs;
    for (;;) {
      const found = look();
      if (found !== undefined && found !== false) return found;
      if (Date.now() > end) throw new Error(`Not true within ${timeoutMs} ms: ${String(look)}`);
      await this.#change(Math.min(50, timeoutMs));
    }
  }

  #change(atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#events.off("change", done);
        resolve();
      };
      const timer = setTimeout(done, atMostMs);
      this.#events.on("change", done);
    });
  }

  // --- acting as a user -------------------------------------------------------------------------------------------

  room(id: string, type: ConversationType, members: readonly string[], name?: string) {
    return this.workspace.addConversation(id, type, members, name);
  }

  /** Delivers the next events twice, in separate envelopes. */
  duplicateNext(times = 1): void {
    this.#repeats += times;
  }

  say(said: Said): StoredMessage {
    const { channel, user, text, threadTs, attachments, subtype, atMs, ts } = said;
    const files = (said.files ?? []).map(({ name, content, mimetype = "application/octet-stream" }) =>
      this.workspace.addFile(name, content, mimetype),
    );
    const person = this.workspace.people.get(user);
    const message = this.workspace.add({
      channel,
      user,
      text,
      files,
      ...(threadTs === undefined ? {} : { threadTs }),
      ...(attachments === undefined ? {} : { attachments }),
      ...(subtype === undefined ? {} : { subtype }),
      ...(person?.isBot ? { botId: `B${user}` } : {}),
      ...(atMs === undefined ? {} : { ts: this.workspace.nextTs(atMs) }),
      ...(ts === undefined ? {} : { ts }),
    });
    if (!said.silently) this.#announce(message);
    return message;
  }

  /** Slack sends two events for a message with a mention. */
  #announce(message: StoredMessage): void {
    const room = this.workspace.conversation(message.channel);
    const wire = {
      ...wireMessage(this.workspace, message, this.#server.url),
      channel: room.id,
      event_ts: message.ts,
    };
    this.event({ ...wire, channel_type: CHANNEL_TYPE[room.type] });
    if (room.type !== "im" && message.text.includes(`<@${this.workspace.botUser}>`))
      this.event({ ...wire, type: "app_mention" });
  }

  edit(channel: string, ts: string, text: string): void {
    const message = this.workspace.find(channel, ts);
    const previous = wireMessage(this.workspace, message, this.#server.url);
    message.text = text;
    message.edits += 1;
    this.#hidden(channel, "message_changed", {
      message: wireMessage(this.workspace, message, this.#server.url),
      previous_message: previous,
    });
  }

  delete(channel: string, ts: string): void {
    const message = this.workspace.find(channel, ts);
    message.deleted = true;
    const previous = wireMessage(this.workspace, message, this.#server.url);
    this.#hidden(channel, "message_deleted", { deleted_ts: ts, previous_message: previous });
  }

  #hidden(channel: string, subtype: string, fields: Record<string, unknown>): void {
    const { type } = this.workspace.conversation(channel);
    const ts = this.workspace.nextTs();
    this.event({
      type: "message",
      subtype,
      hidden: true,
      channel,
      channel_type: CHANNEL_TYPE[type],
      ts,
      event_ts: ts,
      ...fields,
    });
  }

  command(channel: string, user: string, command: string, text = "", threadTs?: string): Delivery {
    const { name, type } = this.workspace.conversation(channel);
    return this.deliveries.submit("slash_commands", {
      token: "legacy",
      team_id: this.workspace.teamId,
      team_domain: "emulated",
      channel_id: channel,
      channel_name: type === "im" ? "directmessage" : name,
      user_id: user,
      user_name: this.workspace.people.get(user)?.name ?? user,
      command,
      text,
      api_app_id: this.workspace.appId,
      response_url: `${this.#server.url}/commands/${channel}/${user}/${++this.#count}`,
      trigger_id: `${Date.now()}.${++this.#count}.abc`,
      ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
    });
  }

  /** A button by its label or its id: delivered once. Throws if the message has no such button. */
  press(channel: string, ts: string, button: string, user: string): Delivery {
    const { workspace } = this;
    const message = workspace.find(channel, ts);
    const actions = pressOf(message, button, workspace.nextTs());
    const { threadTs } = message;
    const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
    const name = workspace.people.get(user)?.name ?? user;
    return this.deliveries.submit("interactive", {
      type: "block_actions",
      user: { id: user, username: name.toLowerCase(), name: name.toLowerCase(), team_id: workspace.teamId },
      api_app_id: workspace.appId,
      token: "legacy",
      container: { type: "message", message_ts: ts, channel_id: channel, is_ephemeral: false, ...thread },
      trigger_id: `${Date.now()}.${++this.#count}.abc`,
      team: { id: workspace.teamId, domain: "emulated" },
      enterprise: null,
      is_enterprise_install: false,
      channel: { id: channel, name: workspace.conversation(channel).name },
      message: wireMessage(workspace, message, this.#server.url),
      state: { values: {} },
      response_url: `${this.#server.url}/commands/${channel}/${user}/${++this.#count}`,
      actions,
    });
  }

  /** Delivers any event, known or not. */
  event(event: Record<string, unknown>): Delivery {
    const payload = this.envelope(event);
    const delivery = this.deliveries.submit("events_api", payload);
    if (this.#repeats > 0) {
      this.#repeats -= 1;
      this.deliveries.submit("events_api", payload);
    }
    return delivery;
  }

  envelope(event: Record<string, unknown>): Record<string, unknown> {
    const { teamId, appId, botUser } = this.workspace;
    return {
      token: "legacy",
      team_id: teamId,
      api_app_id: appId,
      event,
      type: "event_callback",
      event_id: `Ev0EMU${++this.#count}`,
      event_time: Math.floor(Date.now() / 1000),
      authorizations: [
        {
          enterprise_id: null,
          team_id: teamId,
          user_id: botUser,
          is_bot: true,
          is_enterprise_install: false,
        },
      ],
    };
  }

  /** Cuts all connections and rejects new ones until turned off. */
  outage(on: boolean): void {
    this.faults.outage = on;
    if (!on) return;
    this.sockets.cut();
    this.#server.cutAll();
  }
}
