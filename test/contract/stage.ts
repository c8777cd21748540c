/** What the suite needs of a platform: its adapter, connected to its emulator, and people who write and read there. */
import { onTestFinished } from "vitest";
import type { Adapter } from "../../src/adapters/adapter.js";
import type { Origin } from "../../src/message.js";
import { Inbox } from "./inbox.js";

export interface Platform {
  name: string;
  /** The kinds of chats; the first is a direct chat. */
  kinds: readonly string[];
  /** The abilities that its adapter has. */
  can: readonly Ability[];
  /** Missing features, with the reason. Tests that need them are skipped. */
  lacks: Partial<Record<Feature, string>>;
  open(options: OpenOptions): Promise<Stage>;
}

export type Ability = "stream" | "type" | "look up" | "register commands" | "preview" | "ask" | "react";

/** What some platforms lack, or some stages can't simulate. */
export type Feature =
  | "acknowledgement"
  | "redelivery"
  | "repeats"
  | "absence"
  | "nonsense"
  | "edits"
  | "deletes"
  | "other people"
  | "splitting"
  | "quotes"
  | "refusals"
  | "limits"
  | "doubt"
  | "recognition"
  | "settling"
  | "network"
  | "credentials"
  | "proof"
  | "slow start";

export interface OpenOptions {
  /** Use short timeouts. */
  hasty: boolean;
}

export interface Place {
  /** The origin of messages from here. */
  readonly origin: Partial<Origin>;
  /** A person writes to the bot, with a mention if it is a group. */
  say(text: string): void;
  /** The bot's messages here, as people see them. */
  seen(): Seen[];
  /** The author edits or deletes their last message. */
  edit(text: string): void;
  remove(): void;
  /** A person presses a button of one of the bot's messages. Returns their user id. */
  press?(message: Seen, label: string, who?: "another person"): string;
}

export interface Seen {
  id: string;
  text: string;
  /** The message that it visibly quotes. */
  replyTo: string | null;
  /** The labels of the buttons below it. */
  buttons?: readonly string[];
}

export interface Stage {
  place(kind: string): Place;
  /** Another adapter for the same bot, as after a restart. Closed with the stage. */
  adapter(): Adapter;
  /** Must not appear in any log or error. */
  readonly secrets: readonly string[];
  /** The adapters' log lines: "error: …". */
  readonly log: readonly string[];
  close(): Promise<void>;

  /** The bot's open polls and sockets. */
  listeners(): number | Promise<number>;
  /** Requests of any kind. */
  requests(): number;
  /** Attempts to post a message. */
  posts(): number;

  /** All messages are acknowledged. */
  acknowledged(): boolean;
  /** From now on each message is delivered twice. */
  repeat(): void;
  /** Delivers unknown and malformed events. */
  babble(): void;
  /** A person picks a command from the menu, in the chat of that kind. */
  pick(kind: string, command: string): void;
  menu(): string[];
  typing(): number;
  /** The bot's reactions on messages, without the messages. */
  reactions?(): string[];
  previews(): string[];
  /** How many presses of buttons are acknowledged. */
  pressesAcknowledged?(): number;

  /** The next post is refused, rate limited, executed without a reply, or answered much too late. */
  refuse(): void;
  limit(seconds: number): void;
  drop(): void;
  stall(): void;
  /** The platform is unreachable, and reachable again. */
  goDown(): Promise<void> | void;
  comeBack(): Promise<void> | void;
  /** Connections stay open without answers, and work again. */
  fallSilent(): void;
  speakAgain(): void;
  /** The first call of the next connect is slow. */
  startSlowly(): void;
  revokeToken(): void;
}

export interface Scene {
  stage: Stage;
  inbox: Inbox;
  adapter: Adapter;
  stop: AbortController;
  /** The chat of the first kind. */
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

/** For features that a stage can't simulate: its platform lists them in `lacks`, so they aren't used. */
export function never(): never {
  throw new Error("This stage can't do that");
}

/** Defaults for platforms on this machine, without a network. */
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
