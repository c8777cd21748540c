/** Parses the body of POST /v1/chat/completions. */
import { z } from "zod";
import { type CompletionRequest, type Entry, splitConversation } from "./completion-request.js";
import { content, readContent } from "./content.js";
import { parameters, parseWith, refuseUnsupported, toolName } from "./fields.js";

const call = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.enum(["system", "developer"]), content }),
  z.looseObject({ role: z.literal("user"), content }),
  z.looseObject({
    role: z.literal("assistant"),
    content: content.nullish(),
    tool_calls: z.array(call).nullish(),
  }),
  z.looseObject({ role: z.literal("tool"), content, tool_call_id: z.string() }),
]);

const tool = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({
    name: toolName,
    description: z.string().nullish(),
    parameters: parameters.nullish(),
  }),
});

const body = z.looseObject({
  model: z.string().max(256).default(""),
  messages: z.array(message).min(1, "must hold a message"),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(tool).max(128).nullish(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      z.looseObject({ type: z.literal("function"), function: z.looseObject({ name: z.string() }) }),
    ])
    .nullish(),
});

export interface ChatRequest extends CompletionRequest {
  includeUsage: boolean;
}

export function readChatRequest(given: unknown): ChatRequest {
  refuseUnsupported(given, ["functions", "function_call", "audio", "prediction", "web_search_options"]);
  const request = parseWith(body, given);
  const choice = request.tool_choice;
  return {
    model: request.model,
    stream: request.stream ?? false,
    includeUsage: request.stream_options?.include_usage ?? false,
    ...splitConversation(request.messages.map(toEntry)),
    tools: (request.tools ?? []).map(({ function: declared }) => ({
      name: declared.name,
      description: declared.description ?? "",
      parameters: declared.parameters ?? { type: "object", properties: {} },
    })),
    toolChoice:
      choice === "auto" || !choice ? undefined : typeof choice === "string" ? choice : choice.function,
  };
}

function toEntry(given: z.output<typeof message>): Entry {
  switch (given.role) {
    case "system":
    case "developer":
      return { role: "system", text: readContent(given.content).text };
    case "user":
      return { role: "user", ...readContent(given.content) };
    case "tool":
      return { role: "tool", text: readContent(given.content).text, callId: given.tool_call_id };
    case "assistant": {
      const calls = (given.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
        id,
        name,
        arguments: args,
      }));
      return { role: "assistant", text: readContent(given.content).text, calls };
    }
  }
}
