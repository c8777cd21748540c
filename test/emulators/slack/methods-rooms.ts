import type { Args, Method, MethodContext } from "./methods.js";
import { ApiError, type Conversation, type StoredMessage } from "./types.js";
import { repliesOf, wireMessage } from "./wire.js";

export const roomMethods: Record<string, Method> = {
  "conversations.info": ({ channel }, { workspace }) => ({
    channel: wireRoom(workspace.conversation(channel)),
  }),

  "conversations.open": ({ users }, { workspace }) => {
    const room = workspace.conversation(users);
    return { channel: { id: room.id } };
  },

  "users.conversations": ({ types, cursor, limit }, { workspace }) => {
    const asked = new Set((types ?? "public_channel").split(","));
    const rooms = [...workspace.conversations.values()]
      .filter((room) => room.members.has(workspace.botUser) && asked.has(WIRE_TYPE[room.type]))
      .map(wireRoom);
    const { items, next } = page(rooms, cursor, limit);
    return { channels: items, response_metadata: { next_cursor: next } };
  },

  "users.info": ({ user }, { workspace }) => {
    const person = user === undefined ? undefined : workspace.people.get(user);
    if (!person) throw new ApiError("user_not_found");
    const { id, name, isBot } = person;
    return { user: { id, name, is_bot: isBot, profile: { display_name: name, real_name: name } } };
  },

  "conversations.history": (args, context) => {
    const room = readable(args, context);
    const roots = context.workspace
      .all(room.id)
      .filter((m) => !m.deleted && (m.threadTs === undefined || m.threadTs === m.ts) && inRange(m, args))
      .reverse();
    return listed(roots, args, context);
  },

  "conversations.replies": (args, context) => {
    const room = readable(args, context);
    const root = context.workspace.all(room.id).find((m) => m.ts === args.ts && !m.deleted);
    if (!root) throw new ApiError("thread_not_found");
    const replies = repliesOf(context.workspace, root).filter((m) => inRange(m, args));
    return listed([root, ...replies], args, context);
  },
};

const WIRE_TYPE = { im: "im", mpim: "mpim", channel: "public_channel", private: "private_channel" } as const;

function wireRoom(room: Conversation) {
  return {
    id: room.id,
    is_im: room.type === "im",
    is_mpim: room.type === "mpim",
    is_channel: room.type === "channel",
    is_private: room.type !== "channel",
    is_archived: room.archived,
    ...(room.type === "im" ? {} : { name: room.name, topic: { value: room.topic } }),
  };
}

function readable(args: Args, { workspace }: MethodContext): Conversation {
  const room = workspace.conversation(args.channel);
  if (!room.members.has(workspace.botUser)) throw new ApiError("not_in_channel");
  return room;
}

function inRange(message: StoredMessage, { oldest, latest, inclusive }: Args): boolean {
  const at = Number(message.ts);
  const same = message.ts === oldest || message.ts === latest;
  if (same) return inclusive === "true" || inclusive === "1";
  return at > Number(oldest ?? 0) && at < Number(latest ?? Number.POSITIVE_INFINITY);
}

function listed(messages: readonly StoredMessage[], args: Args, { workspace, baseUrl }: MethodContext) {
  const { items, next } = page(messages, args.cursor, args.limit);
  return {
    messages: items.map((message) => ({
      ...wireMessage(workspace, message, baseUrl),
      ...(args.include_all_metadata === "true" && message.metadata ? { metadata: message.metadata } : {}),
    })),
    has_more: next !== "",
    response_metadata: { next_cursor: next },
  };
}

function page<T>(items: readonly T[], cursor: string | undefined, limit: string | undefined) {
  const from = cursor ? Number(Buffer.from(cursor, "base64").toString()) : 0;
  const to = from + Number(limit ?? 100);
  const next = to < items.length ? Buffer.from(String(to)).toString("base64") : "";
  return { items: items.slice(from, to), next };
}
