/**
 * Discord on a loopback port: REST and gateway like the real ones, an inspectable world, a driver that acts as users, and
 * fault injection.
 */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { Buckets, type Limit } from "./buckets.js";
import { buildCore, type EmulatorCore, Nonces } from "./core.js";
import { Driver } from "./driver.js";
import { Faults } from "./faults.js";
import { GatewayServer } from "./gateway.js";
import { Interactions } from "./interactions.js";
import { guildPayload, userPayload } from "./payloads.js";
import { RestServer } from "./rest.js";
import { World } from "./world.js";

export interface EmulatorOptions {
  port?: number;
  heartbeatMs?: number;
  /** Rate limit of messages per channel; the real one: about 5 in 5 s. */
  messageLimit?: Limit;
  nonceWindowMs?: number;
  /** How soon a slash command must be answered. */
  answerWithinMs?: number;
}

const ALL_INTENTS = 0x7fff_ffff;

export class DiscordEmulator extends Driver {
  readonly faults: Faults;
  readonly gateway: GatewayServer;
  readonly rest: RestServer;
  readonly interactions: Interactions;
  readonly buckets = new Buckets();
  readonly #settings: { token: string; allowedIntents: number; identifiesLeft: number };
  readonly #wanted: number;
  /** Attempts to connect to the gateway. */
  connectAttempts = 0;
  #server: http.Server | undefined;
  #port = 0;

  constructor(options: EmulatorOptions = {}) {
    const world = new World();
    const bot = world.addUser("Hermes", { bot: true });
    const token = `${Buffer.from(bot.id).toString("base64url")}.emulator.${"x".repeat(27)}`;
    const settings = { token, allowedIntents: ALL_INTENTS, identifiesLeft: 1000 };
    const faults = new Faults();
    const gateway = new GatewayServer(
      {
        get token() {
          return settings.token;
        },
        get allowedIntents() {
          return settings.allowedIntents;
        },
        heartbeatMs: options.heartbeatMs ?? 41_250,
        url: () => `ws://127.0.0.1:${this.#port}`,
        ready: () => this.#ready(),
        afterReady: () =>
          [...world.guilds.values()].map((guild) => ({
            t: "GUILD_CREATE",
            d: guildPayload(world, guild, bot.id),
          })),
        identified: () => {
          settings.identifiesLeft -= 1;
        },
      },
      faults,
    );
    const emulator = { baseUrl: () => this.baseUrl };
    const core: EmulatorCore = buildCore({
      world,
      gateway,
      bot,
      applicationId: world.newId(),
      get baseUrl() {
        return emulator.baseUrl();
      },
      nonces: new Nonces(options.nonceWindowMs ?? 300_000),
      typing: [],
      reactions: new Set(),
      commands: [],
    });
    const interactions = new Interactions(core, options.answerWithinMs ?? 3000);
    super(core, interactions);
    this.#settings = settings;
    this.#wanted = options.port ?? 0;
    this.faults = faults;
    this.gateway = gateway;
    this.interactions = interactions;
    this.rest = new RestServer({
      core,
      interactions,
      buckets: this.buckets,
      faults,
      token: () => settings.token,
      gatewayUrl: () => `ws://127.0.0.1:${this.#port}`,
      identifiesLeft: () => settings.identifiesLeft,
      flags: () => flagsFor(settings.allowedIntents),
      messageLimit: options.messageLimit ?? { count: 5, perMs: 5000 },
    });
  }

  get token(): string {
    return this.#settings.token;
  }

  /** For `platforms.discord` in config.yaml. */
  get settings() {
    return { token: this.token, api_url: this.apiUrl };
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** For the adapter's `apiUrl`. */
  get apiUrl(): string {
    return `${this.baseUrl}/api`;
  }

  /** Open connections of any kind. */
  openSockets(): Promise<number> {
    return new Promise((resolve, reject) => {
      if (!this.#server) return resolve(0);
      this.#server.closeIdleConnections();
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  /** Replaces the token: the old one is invalid. */
  revokeToken(): void {
    this.#settings.token = `${this.#settings.token.slice(0, -1)}y`;
  }

  /** Sets the intents that are switched on in the developer portal. */
  allowIntents(bits: number): void {
    this.#settings.allowedIntents = bits;
  }

  leaveIdentifies(count: number): void {
    this.#settings.identifiesLeft = count;
  }

  async start(): Promise<void> {
    this.#server = http.createServer((request, response) => {
      this.rest.handle(request, response).catch(() => response.destroy());
    });
    const sockets = new WebSocketServer({
      server: this.#server,
      verifyClient: (_info, answer) => {
        this.connectAttempts += 1;
        if (!this.faults.hangHandshakes && !this.faults.silent) answer(true);
      },
    });
    sockets.on("connection", (socket) => this.gateway.accept(socket));
    await new Promise<void>((resolve, reject) => {
      this.#server!.once("error", reject);
      this.#server!.listen(this.#port || this.#wanted, "127.0.0.1", resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Stops listening until `start` is called again. The messages stay. */
  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    this.gateway.cut();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  #ready() {
    const { bot, applicationId, world } = this.core;
    return {
      v: 10,
      user: userPayload(bot),
      guilds: [...world.guilds.keys()].map((id) => ({ id, unavailable: true })),
      shard: [0, 1],
      application: { id: applicationId, flags: flagsFor(this.#settings.allowedIntents) },
    };
  }
}

/** The application flags of the portal's switches: presence, members, message content, each for a small bot. */
function flagsFor(allowedIntents: number): number {
  const switches = [
    [1 << 8, 1 << 13],
    [1 << 1, 1 << 15],
    [1 << 15, 1 << 19],
  ] as const;
  return switches.reduce((flags, [intent, flag]) => flags | (allowedIntents & intent ? flag : 0), 0);
}

export { CHANNEL } from "./world.js";
