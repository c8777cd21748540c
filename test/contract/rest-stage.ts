/** What the stages of platforms with an HTTP API share: their faults, their adapters, their log. */
import type { Adapter } from "../../src/adapters/adapter.js";
import type { RestAnswer, RestServer } from "../emulators/rest-server.js";
import { never, type OpenOptions, type Place, type Stage } from "./stage.js";

export interface Emulator {
  readonly server: RestServer;
  start(): Promise<unknown>;
  close(): Promise<void>;
}

export abstract class RestStage<E extends Emulator> implements Stage {
  readonly emulator: E;
  readonly hasty: boolean;
  readonly log: string[] = [];
  abstract readonly secrets: readonly string[];
  readonly places = new Map<string, Place>();
  readonly #adapters: Adapter[] = [];

  constructor(emulator: E, { hasty }: OpenOptions) {
    this.emulator = emulator;
    this.hasty = hasty;
  }

  /** The calls that post a message. */
  abstract readonly sends: { method: string; path: RegExp };
  /** The first call of a connect. */
  abstract readonly first: { method: string; path: RegExp };
  abstract limited(seconds: number): RestAnswer;
  abstract readonly refusal: RestAnswer;
  abstract make(): Adapter;
  abstract listeners(): number;
  abstract typing(): number;
  abstract repeat(): void;
  abstract babble(): void;
  abstract revokeToken(): void;

  adapter(): Adapter {
    const adapter = this.make();
    this.#adapters.push(adapter);
    return adapter;
  }

  /** For the adapters' options. */
  readonly logged = (level: string, message: string, fields: object = {}): void => {
    this.log.push(`${level}: ${message} ${JSON.stringify(fields)}`);
  };

  place(kind: string): Place {
    return this.places.get(kind)!;
  }

  acknowledged(): boolean {
    return true;
  }

  requests(): number {
    return this.emulator.server.calls.length;
  }

  posts(): number {
    return this.emulator.server.count(this.sends.method, this.sends.path);
  }

  pick(_kind: string, _command: string): void {
    never();
  }

  menu(): string[] {
    return never();
  }

  readonly previews = never;

  refuse(): void {
    this.#arm({ kind: "answer", ...this.refusal });
  }

  limit(seconds: number): void {
    this.#arm({ kind: "answer", ...this.limited(seconds) });
  }

  drop(): void {
    this.#arm({ kind: "drop_after" });
  }

  stall(): void {
    this.#arm({ kind: "delay", ms: 900 });
  }

  #arm(fault: Parameters<RestServer["arm"]>[2]): void {
    this.emulator.server.arm(this.sends.method, this.sends.path, fault);
  }

  startSlowly(): void {
    this.emulator.server.arm(this.first.method, this.first.path, { kind: "delay", ms: 300 });
  }

  async goDown(): Promise<void> {
    await this.emulator.close();
  }

  async comeBack(): Promise<void> {
    await this.emulator.start();
  }

  fallSilent(): void {
    this.emulator.server.silent = true;
  }

  speakAgain(): void {
    this.emulator.server.silent = false;
  }

  async close(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.disconnect()));
    await this.emulator.close();
  }
}
