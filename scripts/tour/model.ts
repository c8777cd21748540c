/** The demo's model: no key, no network. It answers by keyword, word by word like a real one. */
import {
  type ChatBody,
  calls,
  type RecordedRequest,
  type Scripted,
} from "../../test/emulators/model-server.js";

const WORD_MS = 60;

const PLAN = `Here is a plan for the **weekend in Lisbon**:

1. *Friday*: tram 28 up to Alfama, dinner by the river
2. *Saturday*: Belém in the morning, the tile museum after lunch
3. *Sunday*: the viewpoint at Graça, then the train to Sintra

Bring good shoes: the hills are steep. Check the trains with \`cp.pt\`.`;

const STORY = [
  "The night train left at **22:40**, and no one on board knew that the bridge was closed. The driver saw the lamp in time,",
  "stopped between two stations and walked back along the track to warn the next train. In the morning, all passengers had",
  "coffee at a small station that isn't on any map, and *everyone arrived one day late and in good spirits*.",
].join(" ");

const TABLE = `| | tent | cabin |
| --- | --- | --- |
| price | **20 €** | 85 € |
| dry | mostly | yes |

I would take the cabin in October.`;

const HELP = `I am a scripted model, so I know only a few things. Ask me for a **plan**, a **story**, a **table** or the **launch**,
send \`/help\` for the gateway's commands, or say "tell the team …" for an approval.`;

/** The first pattern that matches the last message decides. */
const ANSWERS: readonly (readonly [RegExp, string])[] = [
  [
    /stand-up/i,
    "Good morning, team! **Stand-up** in five minutes: what did you finish, what is next, what blocks you?",
  ],
  [
    /launch/i,
    "The **launch** is on Thursday at 10:00. Still open: the press text (*Cleo*) and the load test (*Ann*).",
  ],
  [/\bplan\b|weekend/i, PLAN],
  [/story/i, STORY],
  [/table|compare/i, TABLE],
  [/thank/i, "You're welcome!"],
  [/\b(?:hello|hi|hey)\b/i, "Hello! I'm **Hermes**, one agent on every chat you use. How can I help?"],
];

const PICTURE = "A sunset over green hills. The light is lovely: I would keep this one for the *first page*.";

/** `tell the team …` is a call of a tool that asks first. */
const TELL = /tell the team (?:that )?(.{1,500})/is;

export function answerTo({ body }: RecordedRequest, speed: number): Scripted {
  if (isTitle(body)) return { text: [titleOf(lastText(body))] };
  const last = body.messages.at(-1)!;
  if (last.role === "tool")
    return spoken(isRefusal(last.content) ? "All right, I didn't send it." : "Done: the team knows.", speed);
  const text = lastText(body);
  if (hasPicture(last.content)) return spoken(PICTURE, speed);
  const wish = TELL.exec(text)?.[1];
  if (wish !== undefined)
    return calls("send_message", { target: "slack:C1", message: `A message for you: ${wish.trim()}` });
  return spoken(ANSWERS.find(([pattern]) => pattern.test(text))?.[1] ?? HELP, speed);
}

/** One chunk a word. A story takes its time, so that it can be interrupted. */
function spoken(text: string, speed: number): Scripted {
  if (text === STORY) return spokenAt(text, Math.min(speed, 2));
  return spokenAt(text, speed);
}

function spokenAt(text: string, speed: number): Scripted {
  return { text: text.match(/\s*\S+\s*/g) ?? [], everyMs: WORD_MS / speed };
}

function isTitle({ messages }: ChatBody): boolean {
  return messages.some(
    ({ role, content }) => role === "system" && /You name conversations/.test(String(content)),
  );
}

function titleOf(text: string): string {
  return text.split(/\s+/, 5).join(" ").slice(0, 40) || "A conversation";
}

function isRefusal(content: unknown): boolean {
  return /denied|error/i.test(String(content));
}

function hasPicture(content: unknown): boolean {
  return Array.isArray(content) && content.some((part: { type?: string }) => part.type === "image_url");
}

/** What the person wrote last. */
function lastText({ messages }: ChatBody): string {
  const content = messages.findLast(({ role }) => role === "user")?.content;
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? (content as { text?: string }[]) : [];
  return parts.map(({ text = "" }) => text).join("\n");
}
