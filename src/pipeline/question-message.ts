/** Renders a question for the chat, before and after it is decided. */
import { randomBytes } from "node:crypto";
import { canAsk } from "../adapters/adapter.js";
import type { Target } from "../message.js";
import type { Choice } from "../question.js";
import { knownTargetsOf } from "../rules.js";
import type { NewReply, QuestionRow } from "../store/queues.js";
import { findTarget } from "../targets/find-target.js";
import { numberedList } from "../text/choices.js";
import { truncated } from "../text-limits.js";
import type { Context } from "./context.js";
import type { Turn } from "./turn.js";

const MAX_ARGUMENTS_CHARS = 600;

export function newQuestionId(): string {
  return randomBytes(6).toString("hex");
}

/** The model wrote the arguments, so they are always shown as code. */
export function approvalText(tool: string, args: Record<string, unknown>, { first }: Turn): string {
  const { userName, userId } = first.message.origin;
  const who = userName ?? userId;
  const shown = truncated(JSON.stringify(args, null, 2), MAX_ARGUMENTS_CHARS, "arguments");
  const code = shown.replaceAll("`", "ˋ");
  return `🔐 Allow \`${tool}\`${who ? ` for ${plain(who)}` : ""}?\n\n\`\`\`\n${code}\n\`\`\``;
}

/** Names are untrusted. */
function plain(name: string): string {
  return name.replaceAll(/[*_`~[\]<>|\\\n]/g, " ").slice(0, 80);
}

/** The message with the question: with buttons if the platform has them, otherwise with a numbered list. */
export async function questionMessage(
  context: Context,
  target: Target,
  question: { id: string; text: string; choices: readonly Choice[] },
  inHome: boolean,
): Promise<NewReply> {
  const home = inHome ? await homeOf(context, target) : undefined;
  const asked = home ?? target;
  const adapter = context.adapterFor(asked);
  const { id, text, choices } = question;
  const hasButtons =
    adapter !== undefined && canAsk(adapter) && choices.length > 0 && choices.length <= adapter.maxChoices;
  return {
    target: asked,
    kind: "command",
    text: hasButtons ? text : numberedList(text, choices),
    ...(hasButtons ? { question: { id, choices } } : {}),
  };
}

/** The home channel of the chat's platform, or of the first platform that has one. */
async function homeOf({ config, store, log }: Context, { platform }: Target): Promise<Target | undefined> {
  const targets = knownTargetsOf(config);
  const name = targets.homes[platform] === undefined ? "home" : `${platform}:home`;
  try {
    return await findTarget(store, name, targets);
  } catch (error) {
    log.warn({ err: error }, "approvals.ask_in: no home channel is set, so owners are asked in the chat");
    return undefined;
  }
}

/** The text of the message once the question is decided. */
export function decidedText({ text, state, answer, choices, kind }: QuestionRow): string {
  return `${text}\n\n${decision()}`;

  function decision(): string {
    if (state === "expired")
      return kind === "approval" ? "⌛ Not answered in time: denied" : "⌛ Not answered in time";
    if (state === "withdrawn" || !answer) return "↩️ Withdrawn";
    const chosen =
      choices.find(({ id }) => id === answer.choiceId)?.label ?? truncated(answer.text, 200, "answer");
    const sign = answer.choiceId === "deny" ? "🚫" : "✅";
    return `${sign} ${plain(chosen)} (${plain(answer.by.userName ?? answer.by.userId)})`;
  }
}
