/** The system prompt. Built once per session and kept, so that providers can cache it. */
import { dateFormat } from "../date-format.js";

export interface PromptFacts {
  platform: string;
  chatType: string;
  /** Several people share this session. */
  shared: boolean;
  principalName?: string | null;
  /** No user is present: a schedule or program asks. */
  unattended?: boolean;
  memory: { own?: string; shared?: string };
  /** `agent.system_prompt` of the configuration. */
  configured?: string | null;
  /** Folders that files may be sent from. */
  sendsFrom?: readonly string[];
  /** As `timeWriter` writes it. */
  now: string;
}

const DEFAULT_PROMPT =
  "You are Hermes, a helpful assistant that people reach through their chat applications. " +
  "Answer in the language you are written to, as short as the matter allows. Markdown is rendered.";

export function systemPrompt(facts: PromptFacts): string {
  const parts = [
    facts.configured?.trim() || DEFAULT_PROMPT,
    situation(facts),
    facts.shared ? SHARED : undefined,
    facts.chatType === "dm" ? undefined : OVERHEARD,
    facts.unattended ? UNATTENDED : undefined,
    TOOLS,
    facts.sendsFrom?.length ? sending(facts.sendsFrom) : undefined,
    block("What you remember about everyone here", facts.memory.shared),
    // In a room everyone would see it.
    facts.shared ? undefined : block("What you remember about this person", facts.memory.own),
  ];
  return parts.filter((part) => part !== undefined).join("\n\n");
}

const SHARED =
  "Several people write in this conversation. Each of their messages begins with the name of its sender in square " +
  "brackets, like [Ann]. Keep them apart, and don't begin your own messages that way.";

const OVERHEARD =
  "Others read your answers here: mention what people told you elsewhere only when they ask for it.";

const UNATTENDED =
  "You run unattended and can't ask questions: do the task as well as you can. Your last message is delivered " +
  "unchanged. If there is nothing worth reporting, answer with [SILENT] alone, and nothing is sent.";

const TOOLS =
  "Earlier conversations are not in your view: the tool session_search finds and reads them. " +
  "The tool memory keeps what should be known in every later conversation; use it for lasting facts and preferences.";

function sending(folders: readonly string[]): string {
  return (
    "To send a file, write MEDIA: and its path on its own line, like MEDIA:/data/plot.png. " +
    `Files are sent from ${folders.join(", ")} and from nowhere else.`
  );
}

function situation(facts: PromptFacts): string {
  const { platform, chatType, shared, principalName, unattended, now } = facts;
  const place = chatType === "dm" ? "a direct chat" : `a ${oneLine(chatType)}`;
  const who = principalName && !shared ? ` with ${oneLine(principalName)}` : "";
  if (unattended) return `You are asked by ${oneLine(platform)}. It is ${now}.`;
  return `This conversation is ${place} on ${oneLine(platform)}${who}. It began on ${now}.`;
}

/** Names are untrusted: one line, short, so that they can't carry instructions. */
function oneLine(name: string): string {
  return name
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, 64);
}

/** Writes times as the prompt has them. Default: the system's time zone. */
export function timeWriter(timezone: string | undefined): (time: Date) => string {
  const zone = timezone === undefined ? {} : { timeZone: timezone };
  const format = dateFormat("en-GB", { dateStyle: "full", timeStyle: "short", ...zone });
  return (time) => (timezone === undefined ? format.format(time) : `${format.format(time)} (${timezone})`);
}

function block(heading: string, text: string | undefined): string | undefined {
  return text?.trim() ? `# ${heading}\n${text.trim()}` : undefined;
}
