/** Exports a conversation as Markdown or JSON. Pure. */
import type { ChatMessage, Conversation } from "../../adapters/web/api.js";

export function toMarkdown({ title }: Conversation, messages: readonly ChatMessage[]): string {
  const blocks = messages.flatMap((message) => {
    const text = message.text.trim();
    const files = message.files.map(({ name }) => `📎 ${name}`);
    const sources = message.from === "agent" ? message.sources.map(({ url }) => `- <${url}>`) : [];
    const listed = sources.length > 0 ? [`Sources:\n\n${sources.join("\n")}`] : [];
    const body = [text, ...files, ...listed].filter((part) => part !== "").join("\n\n");
    return body === "" ? [] : [`## ${speaker(message)} · ${stamp(message.at)}${marks(message)}\n\n${body}`];
  });
  return `${[`# ${title}`, ...blocks].join("\n\n")}\n`;
}

export function toJson(conversation: Conversation, messages: readonly ChatMessage[]): string {
  const { id, title, lastActiveAt } = conversation;
  return `${JSON.stringify({ id, title, lastActiveAt, messages }, null, 2)}\n`;
}

/** A file name that is safe in a header and on every file system. */
export function exportName({ title }: Conversation, format: string): string {
  const plain = title
    .normalize("NFKD")
    .replace(/[^\w -]/g, "")
    .trim()
    .replace(/\s+/g, "-")
    .slice(0, 60);
  return `${plain || "conversation"}.${format}`;
}

function speaker({ from }: ChatMessage): string {
  return { user: "You", agent: "Agent", gateway: "Notice" }[from];
}

function marks(message: ChatMessage): string {
  const list = [
    "undone" in message && message.undone && "undone",
    message.from === "agent" && message.stopped && "stopped",
  ].filter(Boolean);
  return list.length > 0 ? ` (${list.join(", ")})` : "";
}

function stamp(at: number): string {
  return `${new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
