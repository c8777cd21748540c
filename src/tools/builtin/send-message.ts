/** The `send_message` tool: to this chat, the person's own direct chats and rooms they took part in; owners anywhere. */
import { formatTarget, type Target } from "../../message.js";
import type { KnownChat, Outbox } from "../../store/queues.js";
import { findTarget } from "../../targets/find-target.js";
import { type KnownTargets, nameOf } from "../../targets/target.js";
import { textArgument } from "../arguments.js";
import { success, ToolMistake, told } from "../result.js";
import type { ToolCall, ToolDefinition } from "../tool.js";

export interface SendDeps {
  store: Pick<Outbox, "knownChats" | "enqueueReply">;
  /** Platforms that can get messages, and their home channels. */
  targets: Omit<KnownTargets, "chats">;
}

const DESCRIPTION =
  "Sends a message to another chat, or to this one besides your answer. action list: the chats that it can go to. action " +
  "send (the default): target and message. Your answer itself needs no tool.";

const PARAMETERS = {
  type: "object",
  properties: {
    action: { type: "string", enum: ["send", "list"], description: "Default: send" },
    target: {
      type: "string",
      description: "origin (this chat), or platform:chat or platform:chat:thread, with the chat's id or name",
    },
    message: { type: "string", description: "Markdown" },
  },
};

const MAX_CHARS = 20_000;
const LISTED = 50;
/** Limit for a person who isn't an owner. Enough to check one chat by its id. */
const OWN_CHATS = 200;

export function sendMessageTool(deps: SendDeps): ToolDefinition {
  return {
    name: "send_message",
    toolset: "messaging",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    effect: "write",
    // The outbox recognises a repeat by the call's key.
    repeat: "safe",
    run: (args, call) =>
      // Hints list chats: a room must not read the names of others.
      told(() => (textArgument(args, "action") === "list" ? list(deps, call) : send(deps, args, call)), {
        hints: call.room === undefined,
      }),
  };
}

/** In a room, other chats aren't listed: even their names are private. */
async function list({ store, targets }: SendDeps, call: ToolCall): Promise<string> {
  const here = { target: formatTarget(call.target), name: "this chat" };
  if (call.room) return success({ targets: [here] });
  const chats = await store.knownChats({ limit: LISTED, ...ownOnly(call) });
  const others = chats.filter(({ platform }) => targets.platforms.includes(platform)).map(shown);
  return success({ targets: [here, ...others.filter(({ target }) => target !== here.target)] });
}

function shown(chat: KnownChat): { target: string; name: string | null; type: string } {
  return { target: formatTarget(chat), name: nameOf(chat), type: chat.chatType };
}

async function send(deps: SendDeps, args: Record<string, unknown>, call: ToolCall): Promise<string> {
  const text = textArgument(args, "message");
  if (text === undefined) throw new ToolMistake("message is missing.");
  if (text.length > MAX_CHARS)
    throw new ToolMistake(`message has ${text.length} characters; the maximum is ${MAX_CHARS}.`);
  const target = await targetFor(deps, textArgument(args, "target") ?? "origin", call);
  const id = await deps.store.enqueueReply({ target, kind: "answer", text }, call.idempotencyKey);
  return success({ id: `out:${id}`, target: formatTarget(target), note: "It is queued and will be sent." });
}

async function targetFor({ store, targets }: SendDeps, wanted: string, call: ToolCall): Promise<Target> {
  const own = ownOnly(call);
  // Names are looked up among the chats that the person may write to, so an error reveals no other.
  const limited: Pick<Outbox, "knownChats"> = {
    knownChats: (query) => store.knownChats({ ...query, ...own }),
  };
  const target = await findTarget(limited, wanted, { ...targets, origin: call.target });
  if (!target) throw new ToolMistake("target must be a chat.");
  if (own.of && !isSameChat(target, call.target) && !(await isOwn(limited, target)))
    throw new ToolMistake(
      `${formatTarget(target)} isn't a chat of this person: only this chat, their direct chats and rooms they took part in.`,
    );
  return target;
}

async function isOwn(store: Pick<Outbox, "knownChats">, target: Target): Promise<boolean> {
  const { platform, chatId } = target;
  if (chatId === null) return false;
  const chats = await store.knownChats({ platform, called: chatId, limit: OWN_CHATS });
  return chats.some((chat) => isSameChat(chat, target));
}

type ChatRef = Pick<Target, "platform" | "chatId">;

function isSameChat(a: ChatRef, b: ChatRef): boolean {
  return a.chatId !== null && a.platform === b.platform && a.chatId === b.chatId;
}

function ownOnly({ principal }: ToolCall): { of?: { platform: string; userId: string } } {
  const { owner, platform, userId } = principal;
  return owner ? {} : { of: { platform, userId } };
}
