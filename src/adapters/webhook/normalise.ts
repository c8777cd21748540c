/** An authenticated call → the message for the agent, or why there is none. Pure. */
import { createHash } from "node:crypto";
import type { InboundMessage, Target } from "../../message.js";
import { fillTemplate } from "./template.js";
import type { Call, SignatureStyle } from "./verify.js";

export const PLATFORM = "webhook";
export const ACCOUNT = "webhook";

export interface HookSettings {
  name: string;
  style: SignatureStyle;
  idHeader: string | null;
  uniqueBody: boolean;
  toleranceSeconds: number;
  events: readonly string[];
  prompt: string | null;
}

export type Normalised =
  | { delivery: Delivery; event: string; body: unknown }
  | { ignored: string }
  | { fault: string };

/** Identifies a call. `earlier`: the id that the same body had in the previous time span. */
export interface Delivery {
  id: string;
  earlier?: string;
}

const ID_HEADERS: Partial<Record<SignatureStyle, string>> = { github: "x-github-delivery" };
const OTHER_ID_HEADER = "x-webhook-id";

export function readCall({ headers, body }: Call, settings: HookSettings, now: number): Normalised {
  const parsed = parse(body);
  if (parsed === undefined) return { fault: "The body isn't a JSON object" };
  const event =
    headers.get("x-github-event") ?? textField(parsed, "type") ?? textField(parsed, "event") ?? "";
  const { events } = settings;
  if (events.length > 0 && !events.includes(event)) return { ignored: event };
  return { delivery: deliveryOf({ headers, body }, parsed, settings, now), event, body: parsed };
}

/** The sender's own id, if any. Stripe's is in the signed body; headers aren't signed. */
function deliveryOf({ headers, body }: Call, parsed: object, settings: HookSettings, now: number): Delivery {
  const { style, idHeader, uniqueBody, toleranceSeconds } = settings;
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 32);
  if (uniqueBody) return { id: hash };
  const header = headers.get(idHeader ?? ID_HEADERS[style] ?? OTHER_ID_HEADER);
  const given = style === "stripe" && idHeader === null ? textField(parsed, "id") : header;
  if (given && /^[\x21-\x7e]{1,200}$/.test(given)) return { id: given };
  const span = Math.floor(now / toleranceSeconds);
  return { id: `${hash}-${span}`, earlier: `${hash}-${span - 1}` };
}

const PROMPT = "The webhook {{@name}} was called ({{@event}}):\n\n{{@body}}";

export function messageOf(
  { delivery, event, body }: Extract<Normalised, { delivery: Delivery }>,
  { name, prompt }: HookSettings,
  target: Target | undefined,
  now: number,
): InboundMessage {
  const { id } = delivery;
  return {
    platform: PLATFORM,
    account: ACCOUNT,
    eventId: eventId(name, id),
    origin: {
      platform: PLATFORM,
      chatType: PLATFORM,
      chatId: `${PLATFORM}:${name}:${id}`,
      userId: `${PLATFORM}:${name}`,
      userName: name,
      messageId: id,
    },
    text: fillTemplate(prompt ?? PROMPT, body, { name, event, delivery: id }),
    attachments: [],
    sentAt: now,
    // Webhooks are always for the bot.
    mentioned: true,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: true,
    task: { name: `The webhook ${name}`, end: "webhook_complete", ...(target ? { target } : {}) },
  };
}

export function eventId(name: string, delivery: string): string {
  return `${name}:${delivery}`;
}

/** The webhook's name in a target that was made from one of its messages. */
export function hookOf({ userId, chatId }: Pick<Target, "userId" | "chatId">): {
  name: string;
  delivery: string;
} {
  const name = (userId ?? "").slice(PLATFORM.length + 1);
  return { name, delivery: (chatId ?? "").slice(`${PLATFORM}:${name}:`.length) };
}

function parse(body: Uint8Array): object | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function textField(body: object, name: string): string | undefined {
  const value = Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}
