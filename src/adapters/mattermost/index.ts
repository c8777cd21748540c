/** Mattermost: a WebSocket for events, REST for missed posts and answers. */
import { pause } from "../../backoff.js";
import { SendError } from "../../errors.js";
import type { InboundMessage, OutboundMessage, Target } from "../../message.js";
import { settlesWithin } from "../../timeout.js";
import type {
  Adapter,
  AdapterEvents,
  CanAsk,
  CanFindPreview,
  CanLookUp,
  CanRegisterCommands,
  CanStream,
  CanType,
  Health,
  LookedUp,
  MenuCommand,
  PartContext,
} from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import type { Callback } from "../platform.js";
import { isUnauthorized, MattermostApi, type Me, reasonOf, TOKEN_REFUSED, tokenRefused } from "./api.js";
import { MAX_CHOICES } from "./buttons.js";
import { actionsPath, answerCommand, answerPress, commandsPath } from "./callbacks.js";
import { CommandMenu } from "./commands.js";
import { MAX_UPLOAD_BYTES, type MattermostOptions, type Settings, settingsOf } from "./config.js";
import { Uplink } from "./connect.js";
import { PLATFORM } from "./normalise.js";
import { type MattermostPart, partsOf } from "./outgoing.js";
import { LIMIT } from "./render.js";
import { Sender } from "./send.js";
import { Threads } from "./threads.js";

export type { MattermostOptions } from "./config.js";

export interface MattermostAdapter extends Adapter, CanStream, CanFindPreview, CanLookUp, CanType {
  /** Paths on our HTTP port, where the server can reach it. */
  readonly callbacks?: readonly Callback[];
}

/** How long a disconnect waits for messages being received. */
const DISCONNECT_MS = 2000;

export function mattermostAdapter(options: MattermostOptions): MattermostAdapter {
  const settings = settingsOf(options);
  return settings.callbackUrl === null
    ? new Mattermost(settings)
    : new ReachableMattermost(settings, settings.callbackUrl);
}

class Mattermost implements MattermostAdapter {
  readonly platform = PLATFORM;
  readonly account: string;
  readonly limits = { length: LIMIT, unit: "utf16" } as const;
  readonly files?: { maxBytes: number };
  protected readonly settings: Settings;
  readonly #health: HealthTracker;
  #events: AdapterEvents | undefined;
  #uplink: Uplink | undefined;
  #me: Me | undefined;
  #sender: Sender | undefined;
  #running: Promise<void> = Promise.resolve();
  /** Aborted when the current uplink, or the attempt to open one, ends. */
  #life: AbortController | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
    this.account = settings.account;
    if (settings.media) this.files = { maxBytes: MAX_UPLOAD_BYTES };
    const { pingMs, callMs } = settings.timing;
    const { log } = settings;
    this.#health = new HealthTracker({ label: "Mattermost", staleMs: 3 * pingMs + callMs, log });
  }

  async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const ended = this.disconnect();
    const life = new AbortController();
    this.#life = life;
    signal.addEventListener("abort", () => void this.disconnect(), { once: true, signal: life.signal });
    await ended;
    if (life.signal.aborted) return;
    const { token, apiUrl, timing } = this.settings;
    const api = new MattermostApi({ apiUrl, token, timeoutMs: timing.callMs });
    const threads = new Threads(api);
    await this.#introduce(api, life);
    if (life.signal.aborted) return;
    this.#sender = new Sender({ api, settings: this.settings, threads, me: () => this.#me });
    const uplink = new Uplink({
      ...{ api, threads, events, settings: this.settings, health: this.#health, signal: life.signal },
      onMe: (me) => {
        this.#me = me;
      },
    });
    this.#events = events;
    this.#uplink = uplink;
    this.#running = uplink.run();
    await Promise.race([uplink.tried, pause(timing.patienceMs, life.signal)]);
  }

  /** Rejects when the token is refused; retries other errors in the background. */
  async #introduce(api: MattermostApi, life: AbortController): Promise<void> {
    try {
      this.#me = await api.me(life.signal);
    } catch (error) {
      if (life.signal.aborted) return;
      if (isUnauthorized(error)) {
        life.abort();
        this.#health.trouble("down", TOKEN_REFUSED);
        throw tokenRefused();
      }
      this.#health.trouble("degraded", `Mattermost can't be reached (${reasonOf(error)}): retrying`);
    }
  }

  /** Stops receiving; answers that are already finished are still sent. */
  async disconnect(): Promise<void> {
    this.#health.closed();
    this.#life?.abort();
    await settlesWithin(this.#running, DISCONNECT_MS);
  }

  health(): Health {
    return this.#health.read();
  }

  readonly render = partsOf;

  async sendPart(
    message: OutboundMessage,
    part: MattermostPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    return this.connected().sendPart(message, part, context, signal);
  }

  async show(
    target: Target,
    messageId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string | null> {
    return this.connected().show(target, messageId, text, signal, posting);
  }

  async abandon(_target: Target, messageId: string, text: string, signal: AbortSignal): Promise<void> {
    await this.connected().abandon(messageId, text, signal);
  }

  async findPreview(target: Target, signal: AbortSignal): Promise<string | null> {
    return this.connected().findPreview(target, signal);
  }

  async lookUp(
    message: OutboundMessage,
    _part: MattermostPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    return this.#sender?.lookUp(message, context, signal) ?? "unknown";
  }

  type(target: Target): void {
    this.#sender?.type(target);
  }

  /** For calls of the server; undefined while not connected. */
  protected get receiving() {
    const events = this.#events;
    const signal = this.#life?.signal;
    if (!events || !signal || signal.aborted) return undefined;
    return {
      receive: (message: InboundMessage) => events.receive(message),
      channel: async (id: string) => this.#uplink?.directory?.channel(id, signal),
    };
  }

  protected note(topic: string, detail: string | undefined): void {
    this.#health.issue(topic, detail, "ok");
  }

  protected connected(): Sender {
    if (this.#sender) return this.#sender;
    throw new SendError("never_sent", "Not connected to Mattermost", { scope: "account" });
  }
}

/** The server can call us: questions have buttons, and commands are native. */
class ReachableMattermost extends Mattermost implements CanAsk, CanRegisterCommands {
  readonly maxChoices = MAX_CHOICES;
  readonly callbacks: readonly Callback[];
  readonly #menu: CommandMenu;

  constructor(settings: Settings, callbackUrl: string) {
    super(settings);
    const { apiUrl, token, timing, callbackPath, commandTokens } = settings;
    const [actions, commands] = [actionsPath(callbackPath), commandsPath(callbackPath)];
    const api = new MattermostApi({ apiUrl, token, timeoutMs: timing.callMs });
    this.#menu = new CommandMenu(api, callbackUrl + commands, commandTokens);
    this.callbacks = [
      { path: actions, limited: true, handle: (request) => this.#press(request) },
      { path: commands, limited: true, handle: (request) => this.#command(request) },
    ];
  }

  async settleQuestion(
    _target: Target,
    messageIds: readonly string[],
    text: string,
    signal: AbortSignal,
  ): Promise<void> {
    await this.connected().settleQuestion(messageIds, text, signal);
  }

  async registerCommands(commands: readonly MenuCommand[], signal: AbortSignal): Promise<void> {
    const taken = await this.#menu.register(commands, signal);
    const names = taken.map((name) => `/${name}`).join(", ");
    this.note(
      "commands",
      taken.length === 0 ? undefined : `Mattermost reserves ${names}: type ! instead of the slash`,
    );
  }

  #press(request: Request): Promise<Response> {
    return answerPress(request, this.settings, this.receiving?.receive);
  }

  #command(request: Request): Promise<Response> {
    const { account, log, commands: known } = this.settings;
    const receiving = this.receiving;
    return answerCommand(request, {
      ...{ account, log, known, receive: receiving?.receive },
      isToken: (token) => this.#menu.isToken(token),
      channel: async (id) => receiving?.channel(id),
    });
  }
}
