/** Whether a tool call runs, is denied, or needs a person's approval. Pure. */
import type { Choice } from "../question.js";
import type { AskMode } from "../tools/tool.js";

export interface ApprovalSettings {
  mode: "manual" | "smart" | "off";
  cronMode: "deny" | "approve";
  unattendedMode: "deny" | "approve";
  /** Patterns of tool names; `*` matches any characters. */
  deny: readonly string[];
}

export interface ApprovalQuestion {
  tool: string;
  /** Older names of the tool. */
  aliases?: readonly string[] | undefined;
  ask: AskMode;
  /** Approvals remembered for the person or the session; `*` for every tool. */
  granted: readonly { tool: string; scope: "person" | "session" }[];
  /** No person is waiting for the turn's answer. */
  unattended: "cron" | "other" | undefined;
}

export type Approval = { to: "run" } | { to: "ask" } | { to: "deny"; reason: string };

export function approvalFor(question: ApprovalQuestion, settings: ApprovalSettings): Approval {
  const { tool, aliases = [], ask, unattended } = question;
  const pattern = settings.deny.find((pattern) => [tool, ...aliases].some((name) => matches(name, pattern)));
  if (pattern !== undefined) return { to: "deny", reason: `approvals.deny lists ${pattern}` };
  if (settings.mode === "off" || ask === "never" || isGranted(question)) return { to: "run" };
  if (unattended === undefined) return { to: "ask" };
  const [mode, key] =
    unattended === "cron"
      ? [settings.cronMode, "approvals.cron_mode"]
      : [settings.unattendedMode, "approvals.unattended_mode"];
  return mode === "approve" ? { to: "run" } : { to: "deny", reason: `no person can be asked (${key})` };
}

/** `always` asks every time, whatever was approved before, except in a session that approves everything. */
function isGranted({ tool, ask, granted }: ApprovalQuestion): boolean {
  return granted.some(
    (grant) =>
      (grant.tool === "*" && grant.scope === "session") ||
      (grant.tool === tool && ask !== "always" && (ask === "once" || grant.scope === "session")),
  );
}

/** The choices for an approval, limited by what the mode allows to remember. */
export function approvalChoices(ask: AskMode): Choice[] {
  return [
    { id: "once", label: "Allow once", style: "primary" },
    ...(ask === "session" || ask === "once" ? [{ id: "session", label: "Allow in this session" }] : []),
    ...(ask === "once" ? [{ id: "always", label: "Always allow" }] : []),
    { id: "deny", label: "Deny", style: "danger" },
  ];
}

/** What the choice remembers, if anything. */
export function grantOf(choiceId: string | undefined): "person" | "session" | undefined {
  if (choiceId === "always") return "person";
  return choiceId === "session" ? "session" : undefined;
}

/** `*` matches any characters. Linear: each part is searched after the previous one. */
export function matches(name: string, pattern: string): boolean {
  const parts = pattern.split("*");
  const [first = "", ...rest] = parts;
  if (rest.length === 0) return name === pattern;
  const last = rest.pop()!;
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false;
  let from = first.length;
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at === -1 || at + part.length > name.length - last.length) return false;
    from = at + part.length;
  }
  return true;
}
