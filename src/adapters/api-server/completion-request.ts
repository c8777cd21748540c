/** A request, independent of the API that it came by. */
import type { ClientTool, ToolChoice, ToolResult } from "../../client-request.js";
import type { ChatMessage } from "../../session.js";
import { invalid } from "./errors.js";

export interface CompletionRequest {
  model: string;
  stream: boolean;
  instructions: string;
  history: ChatMessage[];
  results: ToolResult[];
  text: string;
  images: InlineImage[];
  tools: ClientTool[];
  toolChoice: ToolChoice | "none" | undefined;
}

export interface InlineImage {
  mimeType: string;
  /** Base64. */
  data: string;
}

/** One entry of a conversation, as both APIs have it. */
export interface Entry {
  role: "system" | "user" | "assistant" | "tool";
  text: string;
  images?: InlineImage[];
  calls?: { id: string; name: string; arguments: string }[];
  /** Id of the tool call that this is the result of. */
  callId?: string;
}

type Conversation = Pick<CompletionRequest, "instructions" | "history" | "results" | "text" | "images">;

/**
 * Entries after the assistant's last one are new; those before are the client's copy of the history. Instructions apply
 * anywhere.
 */
export function splitConversation(entries: readonly Entry[]): Conversation {
  const talk = entries.filter(({ role }) => role !== "system");
  const lastAnswer = talk.findLastIndex(({ role }) => role === "assistant");
  const fresh = talk.slice(lastAnswer + 1);
  const said = fresh.filter(({ role }) => role === "user");
  const results = fresh
    .filter(({ role }) => role === "tool")
    .map(({ callId, text }) => ({ callId: callId ?? "", text }));
  const text = joined(said);
  const images = said.flatMap((entry) => entry.images ?? []);
  if (text === "" && results.length + images.length === 0)
    throw invalid("Nothing to answer: the last message must be a non-empty user or tool message");
  return {
    instructions: joined(entries.filter(({ role }) => role === "system")),
    history: talk.slice(0, lastAnswer + 1).map(toChatMessage),
    results,
    text,
    images,
  };
}

function joined(entries: readonly Entry[]): string {
  return entries
    .map(({ text }) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Images in the history are mentioned, not kept. */
function toChatMessage({ role, text, images = [], calls = [], callId }: Entry): ChatMessage {
  return {
    role,
    content: [text, ...images.map(() => "[image]")].filter((part) => part !== "").join("\n"),
    ...(calls.length > 0
      ? {
          tool_calls: calls.map(({ id, name, arguments: args }) => ({
            id,
            type: "function",
            function: { name, arguments: args },
          })),
        }
      : {}),
    ...(callId === undefined ? {} : { tool_call_id: callId }),
  };
}
