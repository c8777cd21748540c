/** What the suite asks of a platform: its adapter on its emulator, people who write there, and what they see. */
import { onTestFinished } from "vitest";
import type { Adapter } from "../../src/adapters/adapter.js";
import type { Origin } from "../../src/message.js";
import { Inbox } from "./inbox.js";

export interface Platform {
  name: string;
  /** The kinds of places that people write from; the first is a direct chat. */
  kinds: readonly string[];
  /** Which abilities its adapter says it has. */
  can: readonly Ability[];
  /** What isn't so here, with the reason. The suite leaves out what hangs on it. */
  lacks: Partial<Record<Feature, string>>;
  open(options: OpenOptions): Promise<Stage>;
}

export type Ability = "stream" | "type" | "look up" | "register commands" | "preview";

/** What not every platform has, or not every stage can do. */
export type Feature =
  | "acknowledgement"
  | "redelivery"
  | "repeats"
  | "absence"
  | "nonsense"
  | "edits"
  | "deletes"
  | "splitting"
  | "quotes"
  | "refusals"
  | "limits"
  | "doubt"
  | "recognition"
  | "network"
  | "credentials"
  | "proof"
  | "slow start";

export interface OpenOptions {
  /** A platform that doesn't answer is given up within moments. */
  hasty: boolean;
}

export interface Place {
  /** What a message from here says about where it comes from. */
  readonly origin: Partial<Origin>;
  /** Somebody writes to the bot, by its name where there are others. */
  say(text: string): void;
  /** What the bot has said here, and not elsewhere, as people see it. */
  seen(): Seen[];
  /** The author changes what was said last, or takes it back. */
  edit(text: string): void;
  remove(): void;
}

export interface Seen {
  id: string;
  text: string;
  /** The message that it visibly answers. */
  replyTo: string | null;
}

export interface Stage {
  place(kind: string): Place;
  /** The same bot again, as after a restart. Ended with the stage. */
  adapter(): Adapter;
  /** What must stand in no log and no error. */
  readonly secrets: readonly string[];
  /** What the adapters told the operator: "error: …". */
  readonly log: readonly string[];
  close(): Promise<void>;

  /** Polls and sockets that are open for the bot. */
  listeners(): number | Promise<number>;
  /** Requests of any kind. */
  requests(): number;
  /** Attempts to post a message. */
  posts(): number;

  /** Everything that was said is known to be received. */
  acknowledged(): boolean;
  /** From now on each message comes twice. */
  repeat(): void;
  /** Events that nobody knows, and broken ones. */
  babble(): void;
  /** Somebody picks a command from the menu, in the place of that kind. */
  pick(kind: string, command: string): void;
  menu(): string[];
  typing(): number;
  previews(): string[];

  /** The next post is refused, put off, carried out but never answered, answered much too late. */
  refuse(): void;
  limit(seconds: number): void;
  drop(): void;
  stall(): void;
  /** Nobody is there; and back. */
  goDown(): Promise<void> | void;
  comeBack(): Promise<void> | void;
  /** Connections stay open, and nothing is answered; and back. */
  fallSilent(): void;
  speakAgain(): void;
  /** The first call of the next connect takes its time. */
  startSlowly(): void;
  revokeToken(): void;
}

export interface Scene {
  stage: Stage;
  inbox: Inbox;
  adapter: Adapter;
  stop: AbortController;
  /** The first kind's place. */
  dm: Place;
}

export async function open(platform: Platform, { hasty = false }: Partial<OpenOptions> = {}): Promise<Scene> {
  const stage = await platform.open({ hasty });
  onTestFinished(() => stage.close());
  const dm = stage.place(platform.kinds[0]!);
  return { stage, inbox: new Inbox(), adapter: stage.adapter(), stop: new AbortController(), dm };
}

export async function connected(platform: Platform, options?: Partial<OpenOptions>): Promise<Scene> {
  const scene = await open(platform, options);
  await scene.adapter.connect(scene.inbox, scene.stop.signal);
  return scene;
}

/** For what a stage can't do: its platform says that it lacks it, and nobody asks. */
export function never(): never {
  throw new Error("This stage can't do that");
}

/** A stage without a network: what a platform on this very machine can't do. */
export abstract class LocalStage {
  readonly secrets: string[] = [];
  readonly log: string[] = [];
  requests = () => 0;
  posts = never;
  acknowledged: () => boolean = never;
  repeat: () => void = never;
  babble: () => void = never;
  pick = never;
  menu = never;
  typing: () => number = never;
  previews: () => string[] = never;
  refuse = never;
  limit = never;
  drop = never;
  stall = never;
  goDown = never;
  comeBack = never;
  fallSilent = never;
  speakAgain = never;
  startSlowly = never;
  revokeToken = never;
}

export const LOCAL: Platform["lacks"] = Object.fromEntries(
  ["refusals", "limits", "doubt", "recognition", "network", "credentials", "proof", "slow start"].map(
    (feature) => [feature, "there is nothing between the platform and us"],
  ),
);
