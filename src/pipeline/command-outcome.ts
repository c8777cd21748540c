/** The outcome of a slash command. */
import { nowSeconds } from "../clock.js";
import type { Command, CommandOutcome } from "../commands/command.js";
import { describeError } from "../errors.js";
import type { CommandVerdict } from "../hooks/verdict.js";
import type { AcceptedMessage, InboxRow } from "../store/queues.js";

/** The outcome, and the command that ran in the end. */
export type Done = CommandOutcome & { ok: boolean; done: Pick<Command, "name" | "rewrites"> };

/** Shows errors the user can act on; internal ones only go to the log. */
export function wordsFor(error: unknown): string {
  const { code, message } = describeError(error);
  const isOurs = code === "internal" || code === "unavailable";
  return isOurs ? "an internal error occurred. The operator can find it in the log." : message;
}

/** The reply if a hook decided; undefined if the command should run. */
export function decided(verdict: CommandVerdict | undefined, name: string): string | undefined {
  if (verdict?.decision === "deny") return verdict.message ?? `/${name} was denied.`;
  return verdict?.decision === "handled" ? (verdict.message ?? "") : undefined;
}

/** A follow-up question, sent as a separate message to the same chat. */
export function followUp({ message, sessionKey }: InboxRow, command: string, text: string): AcceptedMessage {
  const eventId = `${message.eventId}/${command}`;
  return { message: { ...message, eventId, text, fromCommand: true }, sessionKey, receivedAt: nowSeconds() };
}
