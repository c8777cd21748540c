/** What is asked, by whom, in which chat → the message for the inbox. Pure. */
import type { ClientRequest } from "../../client-request.js";
import type { Attachment, InboundMessage } from "../../message.js";
import type { TraceId } from "../../trace-id.js";
import type { Asked } from "./asked.js";
import { ACCOUNT, ownName, PLATFORM } from "./ids.js";

export interface Asking {
  id: string;
  key: string;
  chatId: string;
  fingerprint: string;
  /** Undefined: the configured one. */
  model: string | undefined;
  traceId: TraceId;
  /** Nothing will follow. */
  last: boolean;
  now: number;
}

export function messageOf(asked: Asked, attachments: readonly Attachment[], asking: Asking): InboundMessage {
  const { text } = asked;
  return {
    ...bare(asking),
    text,
    attachments: [...attachments],
    request: requestOf(asked, asking),
  };
}

/** As the person behind the key would say it: the chat goes on in an earlier session. */
export function resumeMessage(session: string, asking: Asking): InboundMessage {
  const { id } = asking;
  const request: ClientRequest = { fingerprint: "", stream: false };
  return { ...bare({ ...asking, id: `${id}:resume` }), text: `/resume ${session}`, attachments: [], request };
}

function bare({ id, key, chatId, traceId, now }: Asking): Omit<InboundMessage, "text" | "attachments"> {
  return {
    platform: PLATFORM,
    account: ACCOUNT,
    eventId: id,
    origin: { platform: PLATFORM, chatType: "dm", chatId, userId: key, userName: key, messageId: id },
    sentAt: now,
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: true,
    traceId,
  };
}

function requestOf(asked: Asked, { id, fingerprint, model, last }: Asking): ClientRequest {
  const { instructions, history, results, toolChoice } = asked;
  const tools = toolChoice === "none" ? [] : asked.tools;
  return {
    fingerprint,
    stream: asked.stream,
    sessionId: ownName(id),
    ...(last ? { end: "request_complete" } : {}),
    ...(instructions === "" ? {} : { instructions }),
    ...(history.length === 0 ? {} : { history }),
    ...(results.length === 0 ? {} : { results }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(toolChoice === undefined || toolChoice === "none" ? {} : { toolChoice }),
    ...(model === undefined ? {} : { model }),
  };
}
