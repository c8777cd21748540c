import type { InboundMessage } from "../message.js";
import type { NewMessage } from "../session.js";

/** What a person wrote, as the agent reads it. In a shared session every message carries its sender's name. */
export function toUserMessage(message: InboundMessage, shared: boolean): NewMessage {
  const { origin, text, quoted, attachments } = message;
  const quote = quoted ? [`> ${quoted.text.replaceAll("\n", "\n> ")}`] : [];
  const files = attachments.map(describe);
  const body = [...quote, text, ...files].filter((part) => part !== "").join("\n");
  return {
    role: "user",
    content: shared ? `[${origin.userName || origin.userId || "somebody"}] ${body}` : body,
    ...(origin.messageId ? { platform_message_id: origin.messageId } : {}),
  };
}

function describe(file: InboundMessage["attachments"][number]): string {
  const details = [file.name, file.mimeType].filter(Boolean).join(", ");
  return `[${file.kind}${details ? `: ${details}` : ""}${file.path ? ` at ${file.path}` : ""}]`;
}
