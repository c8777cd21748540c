/** Answers in the format of the Responses API. */
import type { Answer } from "./answer.js";
import type { ApiError } from "./errors.js";
import type { EventWriter } from "./event-text.js";
import type { Exchange } from "./exchange.js";
import { responseId } from "./ids.js";

/** Fields of the request that a response repeats. */
export interface Echoed {
  instructions: string | null;
  previousResponseId: string | null;
}

type Known = Pick<Exchange, "id" | "createdAt">;

export function response(exchange: Known, echoed: Echoed, answer: Answer) {
  const incomplete = answer.finishReason === "length";
  return {
    ...skeleton(exchange, echoed, answer.model, incomplete ? "incomplete" : "completed"),
    incomplete_details: incomplete ? { reason: "max_output_tokens" } : null,
    output: outputOf(exchange, answer),
    output_text: answer.text,
    usage: usageOf(answer),
  };
}

export function responseWriter(exchange: Exchange, echoed: Echoed, model: string): EventWriter {
  let number = 0;
  let text = "";
  let item: object | undefined;
  const event = (type: string, data: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...data })}\n\n`;
  const place = { item_id: messageId(exchange.id), output_index: 0, content_index: 0 };

  function open(): string {
    if (item) return "";
    item = messageItem(exchange.id, "", "in_progress");
    const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
    return (
      event("response.output_item.added", { output_index: 0, item: { ...item, content: [] } }) +
      event("response.content_part.added", { ...place, part })
    );
  }

  function close(): string {
    if (!item) return "";
    const part = { type: "output_text", text, annotations: [], logprobs: [] };
    return [
      event("response.output_text.done", { ...place, text, logprobs: [] }),
      event("response.content_part.done", { ...place, part }),
      event("response.output_item.done", {
        output_index: 0,
        item: messageItem(exchange.id, text, "completed"),
      }),
    ].join("");
  }

  function calls(answer: Answer): string {
    return callItems(exchange.id, answer)
      .map((made, index) => {
        const at = { output_index: index + (item ? 1 : 0) };
        const added = { ...made, arguments: "", status: "in_progress" };
        return [
          event("response.output_item.added", { ...at, item: added }),
          event("response.function_call_arguments.delta", { ...at, item_id: made.id, delta: made.arguments }),
          event("response.function_call_arguments.done", {
            ...at,
            item_id: made.id,
            name: made.name,
            arguments: made.arguments,
          }),
          event("response.output_item.done", { ...at, item: made }),
        ].join("");
      })
      .join("");
  }

  return {
    begin: () => {
      const begun = { ...skeleton(exchange, echoed, model, "in_progress"), output: [], usage: null };
      return (
        event("response.created", { response: begun }) + event("response.in_progress", { response: begun })
      );
    },
    piece: (delta) => {
      const opened = open();
      text += delta;
      return opened + event("response.output_text.delta", { ...place, delta, logprobs: [] });
    },
    end: (answer) => {
      // The streamed text is the complete answer.
      const shown = item ? { ...answer, text } : answer;
      const whole = response(exchange, echoed, shown);
      const type = whole.status === "incomplete" ? "response.incomplete" : "response.completed";
      return close() + calls(shown) + event(type, { response: whole });
    },
    fail: (error) => event("response.failed", { response: failedResponse(exchange, echoed, model, error) }),
  };
}

export function failedResponse(exchange: Known, echoed: Echoed, model: string, error: ApiError) {
  const { code, message } = error;
  return {
    ...skeleton(exchange, echoed, model, "failed"),
    error: { code, message },
    output: [],
    usage: null,
  };
}

function skeleton(
  { id, createdAt }: Known,
  { instructions, previousResponseId }: Echoed,
  model: string,
  status: "in_progress" | "completed" | "incomplete" | "failed",
) {
  return {
    id: responseId(id),
    object: "response",
    created_at: createdAt,
    status,
    error: null as { code: string; message: string } | null,
    incomplete_details: null as { reason: string } | null,
    instructions,
    max_output_tokens: null,
    metadata: {},
    model,
    parallel_tool_calls: true,
    previous_response_id: previousResponseId,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: null,
    truncation: "disabled",
  };
}

function outputOf({ id }: Known, answer: Answer): object[] {
  const said = answer.text !== "" || answer.calls.length === 0;
  return [...(said ? [messageItem(id, answer.text, "completed")] : []), ...callItems(id, answer)];
}

function messageItem(id: string, text: string, status: string) {
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return { id: messageId(id), type: "message", role: "assistant", status, content };
}

function callItems(id: string, { calls }: Answer) {
  return calls.map((call, index) => ({
    id: `fc_${id}_${index}`,
    type: "function_call",
    call_id: call.id,
    name: call.name,
    arguments: call.arguments,
    status: "completed",
  }));
}

const messageId = (id: string) => `msg_${id}`;

function usageOf({ usage }: Answer) {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
