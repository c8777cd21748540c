import type { InboundMessage } from "../../src/message.js";

/** A message with nothing special about it. */
export function inboundMessage(more: Partial<InboundMessage>): InboundMessage {
  return {
    platform: "test",
    account: "bot",
    eventId: "1",
    origin: { platform: "test", chatType: "dm", chatId: "1" },
    text: "",
    attachments: [],
    sentAt: 0,
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: false,
    ...more,
  };
}
