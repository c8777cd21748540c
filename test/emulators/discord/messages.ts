/** Message routes: create with nonces, edit, delete, history, typing, threads. */

import { buttonsIn } from "./components.js";
import type { EmulatorCore } from "./core.js";
import * as errors from "./errors.js";
import { ApiError } from "./errors.js";
import { channelPayload, type Json, messagePayload } from "./payloads.js";
import type { Call, RestAnswer } from "./rest.js";
import { CHANNEL, type Channel, type Message } from "./world.js";

const MAX_CHARACTERS = 2000;
const MAX_NONCE = 25;
const MAX_HISTORY = 100;
const MAX_UPLOAD = 25 * 1024 * 1024;

export function readableChannel(core: EmulatorCore, id: string): Channel {
  const channel = core.world.channels.get(id);
  if (!channel) throw errors.unknownChannel();
  if (channel.access === "none") throw errors.missingAccess();
  return channel;
}

function writableChannel(core: EmulatorCore, id: string): Channel {
  const channel = readableChannel(core, id);
  if (channel.access === "read") throw errors.missingPermissions();
  if (channel.locked) throw errors.threadLocked();
  const other = channel.recipientId ? core.world.users.get(channel.recipientId) : undefined;
  if (other && !other.dmsOpen) throw errors.closedDms();
  return channel;
}

export function checkContent(content: unknown): string {
  const text = content === undefined || content === null ? "" : String(content);
  if ([...text].length > MAX_CHARACTERS) {
    throw errors.invalidForm("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.");
  }
  return text;
}

export function createMessage(core: EmulatorCore, call: Call, channelId: string): RestAnswer {
  const channel = writableChannel(core, channelId);
  const body = call.body;
  const nonce = nonceOf(body);
  const known =
    nonce !== null && body.enforce_nonce === true ? core.nonces.find(channelId, nonce) : undefined;
  if (known) return { body: core.rest(known) };
  const content = checkContent(body.content);
  if (content.trim() === "" && call.files.length === 0) throw errors.emptyMessage();
  if (call.files.reduce((sum, file) => sum + file.bytes.length, 0) > MAX_UPLOAD) {
    throw new ApiError(413, { message: "Request entity too large", code: 40005 });
  }
  const message = core.say({
    channelId,
    authorId: core.bot.id,
    content,
    nonce,
    buttons: buttonsIn(body) ?? [],
    replyTo: replyOf(core, channelId, body),
    files: call.files.map((file) => ({ ...file, id: core.world.newId() })),
  });
  if (nonce !== null) core.nonces.add(channelId, nonce, message);
  if (core.world.isThread(channel)) channel.members.add(core.bot.id);
  return { body: core.rest(message) };
}

function nonceOf(body: Json): string | null {
  if (body.nonce === undefined || body.nonce === null) return null;
  const nonce = String(body.nonce);
  if (nonce.length > MAX_NONCE) {
    throw errors.invalidForm("nonce", "NONCE_TYPE_TOO_LONG", "Nonce must be 25 or fewer in length.");
  }
  return nonce;
}

function replyOf(core: EmulatorCore, channelId: string, body: Json): string | null {
  const reference = body.message_reference as Json | undefined;
  if (!reference) return null;
  const id = String(reference.message_id);
  if (core.world.find(channelId, id)) return id;
  if (reference.fail_if_not_exists === false) return null;
  throw errors.invalidForm("message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message");
}

export function editMessage(core: EmulatorCore, call: Call, channelId: string, id: string): RestAnswer {
  writableChannel(core, channelId);
  const message = ownMessage(core, channelId, id);
  core.edit(message, checkContent(call.body.content), buttonsIn(call.body));
  return { body: core.rest(message) };
}

export function deleteMessage(core: EmulatorCore, channelId: string, id: string): RestAnswer {
  readableChannel(core, channelId);
  core.remove(ownMessage(core, channelId, id));
  return { status: 204 };
}

function ownMessage(core: EmulatorCore, channelId: string, id: string): Message {
  const message = core.world.find(channelId, id);
  if (!message) throw errors.unknownMessage();
  if (message.authorId !== core.bot.id) throw errors.foreignMessage();
  return message;
}

/** Newest first; after an id, the ones next to it. */
export function history(core: EmulatorCore, call: Call, channelId: string): RestAnswer {
  readableChannel(core, channelId);
  const limit = Math.min(MAX_HISTORY, Number(call.query.get("limit") ?? 50));
  const after = call.query.get("after");
  const before = call.query.get("before");
  let found = core.world.visible(channelId);
  if (after) found = found.filter(({ id }) => BigInt(id) > BigInt(after)).slice(0, limit);
  if (before) found = found.filter(({ id }) => BigInt(id) < BigInt(before));
  const page = found.slice(-limit).reverse();
  return {
    body: page.map((m) => messagePayload(core.world, m, { baseUrl: core.baseUrl, forGateway: false })),
  };
}

export function react(core: EmulatorCore, call: Call, channelId: string, messageId: string): RestAnswer {
  writableChannel(core, channelId);
  const emoji = decodeURIComponent(call.path.split("/")[6] ?? "");
  const key = `${messageId} ${emoji}`;
  if (call.method === "PUT") core.reactions.add(key);
  else core.reactions.delete(key);
  return { status: 204 };
}

export function typing(core: EmulatorCore, channelId: string): RestAnswer {
  writableChannel(core, channelId);
  core.typing.push(channelId);
  return { status: 204 };
}

/** A thread from a message has the message's id. */
export function startThread(
  core: EmulatorCore,
  call: Call,
  channelId: string,
  messageId: string,
): RestAnswer {
  const parent = writableChannel(core, channelId);
  if (parent.type !== CHANNEL.text && parent.type !== CHANNEL.announcement) throw errors.wrongChannelType();
  if (!core.world.find(channelId, messageId)) throw errors.unknownMessage();
  if (core.world.channels.has(messageId)) throw errors.threadExists();
  const thread = core.world.addChannel({
    id: messageId,
    type: CHANNEL.publicThread,
    guildId: parent.guildId,
    parentId: parent.id,
    name: String(call.body.name),
    ownerId: core.bot.id,
    members: new Set([core.bot.id]),
  });
  const payload = channelPayload(thread, core.bot.id);
  core.gateway.dispatch("THREAD_CREATE", { ...payload, newly_created: true });
  return { status: 201, body: payload };
}
