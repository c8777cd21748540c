import type { OutboundMessage } from "../../message.js";
import type { Adapter, PartContext } from "../adapter.js";

type SendWhole = (message: OutboundMessage, context: PartContext, signal: AbortSignal) => Promise<string>;

/** For platforms that take a message of any length in one piece. `send` resolves with the platform's id of it. */
export function singlePart(send: SendWhole): Pick<Adapter, "render" | "sendPart"> {
  return {
    render: () => [{}],
    sendPart: async (message, _part, context, signal) => [await send(message, context, signal)],
  };
}
