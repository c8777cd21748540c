/** A request → the message for the inbox. Pure. */
import type { ClientRequest } from "../../client-request.js";
import type { Attachment, InboundMessage } from "../../message.js";
import type { TraceId } from "../../trace-id.js";
import type { CompletionRequest } from "./completion-request.js";
import { ACCOUNT, ownName, PLATFORM } from "./ids.js";

export interface Asking {
  id: string;
  key: string;
  chatId: string;
  fingerprint: string;
  /** Undefined: the configured one. */
  model: string | undefined;
  traceId: TraceId;
  /** The chat gets no further messages. */
  last: boolean;
  now: number;
}

export function messageOf(
  request: CompletionRequest,
  attachments: readonly Attachment[],
  asking: Asking,
): InboundMessage {
  const { text } = request;
  return {
    ...bare(asking),
    text,
    attachments: [...attachments],
    request: requestOf(request, asking),
  };
}

/** A /resume command on behalf of the key's user. */
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

function requestOf(request: CompletionRequest, { id, fingerprint, model, last }: Asking): ClientRequest {
  const { instructions, history, results, toolChoice } = request;
  const tools = toolChoice === "none" ? [] : request.tools;
  return {
    fingerprint,
    stream: request.stream,
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
