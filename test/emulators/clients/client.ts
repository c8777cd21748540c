/** A chat client as the page shows it: several people, their chats with the bot, and what they can do there. */
import { ANN, BOT, type Emulated } from "../emulated.js";

export interface ChatClient {
  /** Also the page's style: `telegram`. */
  readonly name: string;
  readonly title: string;
  chats(): readonly ChatView[] | Promise<readonly ChatView[]>;
  say(said: Saying): unknown;
  press?(pressed: Press): unknown;
}

export interface Saying {
  chat: string;
  person: string;
  text: string;
  /** The first message of the thread that it belongs to. */
  thread?: string | undefined;
  picture?: Buffer | undefined;
}

export interface Press {
  chat: string;
  person: string;
  message: string;
  button: string;
}

export interface ChatView {
  id: string;
  title: string;
  isGroup: boolean;
  hasThreads?: boolean;
  /** Those who can write there. */
  people: readonly string[];
  /** Oldest first. */
  messages: readonly Bubble[];
}

export interface Bubble {
  id: string;
  from: string;
  isBot: boolean;
  text: string;
  format: "plain" | "html" | "markdown" | "mrkdwn";
  buttons: readonly string[];
  /** Data URLs. */
  pictures?: readonly string[];
  thread?: string | undefined;
  /** It is still being written. */
  live?: boolean;
}

export const HERMES_NAME = "Hermes";

export function dataUrl(mimeType: string, content: Buffer): string {
  return `data:${mimeType};base64,${content.toString("base64")}`;
}

/** Ann's one chat on any emulated platform. */
export function clientOf(emulated: Emulated): ChatClient {
  const { name } = emulated;
  return {
    name,
    title: name,
    chats: () => [{ id: "ann", title: ANN, isGroup: false, people: [ANN], messages: bubbles(emulated) }],
    say: ({ text }) => emulated.say(text),
    press: ({ message, button }) => emulated.press?.(message, button),
  };
}

function bubbles(emulated: Emulated): Bubble[] {
  return emulated.lines().map(({ id, from, text, buttons }) => {
    const isBot = from !== ANN;
    return { id, from: from === BOT ? HERMES_NAME : from, isBot, text, buttons, format: "plain" };
  });
}
