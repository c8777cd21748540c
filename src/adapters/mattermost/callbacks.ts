/** The server's calls to us: pressed buttons and slash commands. Answered when the inbox has them. */
import { nowSeconds } from "../../clock.js";
import type { InboundMessage } from "../../message.js";
import { answerWebhook } from "../kit/webhook-route.js";
import { readPressCall } from "./buttons.js";
import { type CommandCall, commandMessage, readCommandCall } from "./commands.js";
import type { Settings } from "./config.js";

const MAX_BODY_BYTES = 256 * 1024;
const NOTHING_TO_SHOW = {};

export function actionsPath(path: string): string {
  return `${path}/actions`;
}

export function commandsPath(path: string): string {
  return `${path}/commands`;
}

/** Undefined while not connected. */
type Receive = ((message: InboundMessage) => Promise<void>) | undefined;

export function answerPress(request: Request, settings: Settings, receive: Receive): Promise<Response> {
  const { token: key, account } = settings;
  return answerWebhook<InboundMessage>(request, {
    auth: { signature: ({ body }) => pressIn(body, { key, account }) !== undefined },
    parse: ({ body }) => pressIn(body, { key, account }),
    receive:
      receive &&
      (async (message) => {
        await receive(message);
        return Response.json(NOTHING_TO_SHOW);
      }),
    onRejected: () =>
      settings.log("warn", "a pressed button could not be stored: the person has to press it again"),
    maxBodyBytes: MAX_BODY_BYTES,
  });
}

function pressIn(body: Buffer, context: { key: string; account: string }): InboundMessage | undefined {
  try {
    return readPressCall(JSON.parse(body.toString("utf8")), { ...context, nowSeconds: nowSeconds() });
  } catch {
    // Not JSON, so not the server.
    return undefined;
  }
}

export interface CommandWebhook {
  account: string;
  log: Settings["log"];
  known: ReadonlySet<string>;
  isToken(token: string): boolean;
  /** Undefined if the bot may not see the channel. */
  channel(id: string): Promise<{ type: string; name: string | null } | undefined>;
  receive: Receive;
}

const NOT_A_MEMBER = {
  response_type: "ephemeral",
  text: "I am not in this channel. Invite me first, or write to me directly.",
};

export function answerCommand(request: Request, webhook: CommandWebhook): Promise<Response> {
  const { receive, account, known } = webhook;
  const call = (body: Buffer) => readCommandCall(new URLSearchParams(body.toString("utf8")));
  return answerWebhook<CommandCall>(request, {
    auth: {
      signature: ({ body }) => {
        const read = call(body);
        return read !== undefined && webhook.isToken(read.token);
      },
    },
    parse: ({ body }) => call(body),
    receive:
      receive &&
      (async (read) => {
        const channel = await webhook.channel(read.channelId);
        if (!channel) return Response.json(NOT_A_MEMBER);
        await receive(commandMessage(read, { account, channel, known, nowSeconds: nowSeconds() }));
        return Response.json(NOTHING_TO_SHOW);
      }),
    onRejected: () => webhook.log("warn", "a command could not be stored: the person has to repeat it"),
    maxBodyBytes: MAX_BODY_BYTES,
  });
}
