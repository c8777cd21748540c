/** Parses the body of POST /v1/responses. */
import { z } from "zod";
import { type CompletionRequest, type Entry, splitConversation } from "./completion-request.js";
import { content, readContent } from "./content.js";
import { ApiError } from "./errors.js";
import { parameters, parseWith, refuseUnsupported, toolName } from "./fields.js";

const messageItem = z.looseObject({
  type: z.literal("message").optional(),
  role: z.enum(["system", "developer", "user", "assistant"]),
  content,
});
const callItem = z.looseObject({
  type: z.literal("function_call"),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const resultItem = z.looseObject({
  type: z.literal("function_call_output"),
  call_id: z.string(),
  output: content,
});
/** Parts of answers that clients send back unchanged. */
const reasoningItem = z.looseObject({ type: z.literal("reasoning") });

const item = z.union(
  [messageItem, callItem, resultItem, reasoningItem],
  "must be a message, a function_call or a function_call_output",
);

const tool = z.looseObject({
  type: z.string(),
  name: toolName.optional(),
  description: z.string().nullish(),
  parameters: parameters.nullish(),
});

const body = z.looseObject({
  model: z.string().max(256).default(""),
  input: z.union([z.string().min(1, "must not be empty"), z.array(item).min(1, "must hold an item")]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(tool).max(128).nullish(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      z.looseObject({ type: z.literal("function"), name: z.string() }),
    ])
    .nullish(),
});

export interface ResponsesRequest extends CompletionRequest {
  previousResponseId: string | null;
}

export function readResponsesRequest(given: unknown): ResponsesRequest {
  refuseUnsupported(given, ["background", "conversation", "prompt"]);
  const request = parseWith(body, given);
  const { input, tool_choice: choice } = request;
  const items = typeof input === "string" ? [{ role: "user" as const, content: input }] : input;
  const conversation = splitConversation(items.flatMap(toEntry));
  return {
    model: request.model,
    stream: request.stream ?? false,
    previousResponseId: request.previous_response_id ?? null,
    ...conversation,
    instructions: [request.instructions ?? "", conversation.instructions]
      .filter((text) => text !== "")
      .join("\n\n"),
    tools: (request.tools ?? []).map(toTool),
    toolChoice:
      choice === "auto" || !choice ? undefined : typeof choice === "string" ? choice : { name: choice.name },
  };
}

function toTool({ type, name, description, parameters }: z.output<typeof tool>) {
  if (type !== "function" || name === undefined)
    throw new ApiError(400, "unsupported_parameter", `Tools of type ${type} are not supported here`, {
      param: "tools",
    });
  return {
    name,
    description: description ?? "",
    parameters: parameters ?? { type: "object", properties: {} },
  };
}

function toEntry(given: z.output<typeof item>): Entry[] {
  if ("call_id" in given && "output" in given) {
    const { call_id, output } = given as z.output<typeof resultItem>;
    return [{ role: "tool", text: readContent(output).text, callId: call_id }];
  }
  if ("call_id" in given) {
    const { call_id: id, name, arguments: args } = given as z.output<typeof callItem>;
    return [{ role: "assistant", text: "", calls: [{ id, name, arguments: args }] }];
  }
  if (!("role" in given)) return [];
  const { role, content } = given as z.output<typeof messageItem>;
  const read = readContent(content);
  if (role === "system" || role === "developer") return [{ role: "system", text: read.text }];
  return [role === "user" ? { role, ...read } : { role, text: read.text }];
}
