import type { OutboundMessage } from "../../message.js";
import type { Adapter, PartContext } from "../adapter.js";

type SendWhole = (message: OutboundMessage, context: PartContext, signal: AbortSignal) => Promise<string>;

/** For platforms that accept messages of any length. `send` resolves with the platform's message id. */
export function singlePart(send: SendWhole): Pick<Adapter, "render" | "sendPart"> {
  return {
    render: () => [{}],
    sendPart: async (message, _part, context, signal) => [await send(message, context, signal)],
  };
}
