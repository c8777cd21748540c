/** Permission requests of an ACP agent: decided by the policy, or by the person. Pure. */
import type { PermissionOption, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { Choice } from "../../question.js";
import { truncated } from "../../text-limits.js";
import type { AgentQuestion } from "../backend.js";

export type PermissionPolicy = "deny" | "ask" | "allow-reads" | "allow";

export type PermissionDecision =
  | { to: "select"; optionId: string }
  /** No option fits: the request counts as cancelled. */
  | { to: "cancel" }
  | { to: "ask"; question: AgentQuestion; optionOf(choiceId: string | undefined): string | undefined };

/** Kinds of tool calls that change nothing. The agent itself says which kind a call is. */
const READS: ReadonlySet<string> = new Set(["read", "search", "think"]);
const MAX_OPTIONS = 8;
const MAX_DETAILS_CHARS = 800;

export function decidePermission(
  request: Pick<RequestPermissionRequest, "toolCall" | "options">,
  policy: PermissionPolicy,
  { agent, owner }: { agent: string; owner: boolean },
): PermissionDecision {
  const { toolCall, options } = request;
  const allow = options.find(({ kind }) => kind === "allow_once");
  const reject = rejection(options);
  const kind = toolCall.kind ?? "other";
  const isAllowed = policy === "allow" || (policy === "allow-reads" && READS.has(kind));
  if (isAllowed && allow) return { to: "select", optionId: allow.optionId };
  if (policy === "deny" || !allow) return reject ? { to: "select", optionId: reject } : { to: "cancel" };
  const offered = offeredOptions(options, owner);
  const byChoice = new Map(offered.map(({ option, choice }) => [choice.id, option.optionId]));
  const choiceOfAllow = offered.find(({ option }) => option === allow)!.choice.id;
  return {
    to: "ask",
    question: {
      about: `${agent}.${kind}`,
      text: questionText(agent, toolCall),
      choices: offered.map(({ choice }) => choice),
      allow: choiceOfAllow,
    },
    optionOf: (choiceId) => (choiceId === undefined ? undefined : byChoice.get(choiceId)) ?? reject,
  };
}

export function rejection(options: readonly PermissionOption[]): string | undefined {
  return (
    options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind === "reject_always")
  )?.optionId;
}

/** Remembered permissions apply to all chats, so only owners may grant them. */
function offeredOptions(options: readonly PermissionOption[], owner: boolean) {
  const mayChoose = ({ kind }: PermissionOption) => owner || kind === "allow_once" || kind === "reject_once";
  const deny = options.find(({ kind }) => kind === "reject_once");
  return options
    .filter(mayChoose)
    .slice(0, MAX_OPTIONS)
    .map((option, i) => ({ option, choice: choiceOf(option, option === deny ? "deny" : `o${i}`) }));
}

function choiceOf({ name, kind }: PermissionOption, id: string): Choice {
  const label = name.slice(0, 60) || kind;
  if (kind === "allow_once") return { id, label, style: "primary" };
  return kind.startsWith("reject") ? { id, label, style: "danger" } : { id, label };
}

/** The agent wrote the text, so it is shown as code. */
function questionText(
  agent: string,
  { title, rawInput, kind }: RequestPermissionRequest["toolCall"],
): string {
  const details =
    rawInput === undefined || rawInput === null ? "" : JSON.stringify(rawInput, null, 2).replaceAll("`", "ˋ");
  const what = (title ?? kind ?? "a step").replaceAll(/[`\n]/g, " ").slice(0, 200);
  const head = `🔐 ${agent} wants to do this: \`${what}\`. Allow it?`;
  return details === "" || details === "{}"
    ? head
    : `${head}\n\n\`\`\`\n${truncated(details, MAX_DETAILS_CHARS, "details")}\n\`\`\``;
}
