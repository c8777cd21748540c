/** Error texts about an ACP agent, for the operator and for the user. */
import type { Failure, FailureKind } from "../backend.js";
import { AgentGone, isLoginError } from "./agent-process.js";

/** A failure with its texts. */
export class PromptFailed extends Error {
  readonly kind: FailureKind;
  readonly notice: string;

  constructor(kind: FailureKind, message: string, notice: string) {
    super(message);
    this.kind = kind;
    this.notice = notice;
  }
}

export function toFailure(error: unknown, agent: string, signal: AbortSignal): Failure {
  if (signal.aborted) return { kind: "stopped", message: "stopped", notice: "Stopped." };
  const message = `${agent}: ${error instanceof Error ? error.message : String(error)}`;
  if (error instanceof PromptFailed) return { kind: error.kind, message, notice: error.notice };
  if (isLoginError(error))
    return {
      kind: "credentials",
      message: `${message}. Log in with the agent's own program, as the user that runs the gateway`,
      notice: `The agent ${agent} isn't logged in. The operator can fix that.`,
    };
  if (error instanceof AgentGone)
    return {
      kind: "other",
      message,
      notice: `The agent ${agent} ended unexpectedly. Some of its work may be done. Ask again to restart it.`,
    };
  const isLate = error instanceof DOMException && error.name === "TimeoutError";
  const notice = `The agent ${agent} ${isLate ? "didn't answer" : "reported an error"}. Try again; the operator's log says more.`;
  return { kind: isLate ? "timeout" : "other", message, notice };
}

export const lost = (agent: string) =>
  new PromptFailed(
    "other",
    "the message was sent before a restart, and the agent can't continue its conversation",
    `I was interrupted while ${agent} worked on this, and it can't continue. Some of it may be done, so I won't send it again. ` +
      "Check what is done, then ask for the rest.",
  );

export const silent = (agent: string, seconds: number) =>
  new PromptFailed(
    "timeout",
    `it was silent for ${seconds} s`,
    `The agent ${agent} was silent for ${seconds} s, so I stopped it. Ask again, or for something smaller.`,
  );
