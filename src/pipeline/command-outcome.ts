/** What became of a slash command. */
import { nowSeconds } from "../clock.js";
import type { Command, CommandOutcome } from "../commands/command.js";
import { describeError } from "../errors.js";
import type { CommandVerdict } from "../hooks/verdict.js";
import type { AcceptedMessage, InboxRow } from "../store/queues.js";

/** The outcome, and the command that ran in the end. */
export type Done = CommandOutcome & { ok: boolean; done: Pick<Command, "name" | "rewrites"> };

/** Errors that the asker can act on are shown; internal ones are left to the log. */
export function wordsFor(error: unknown): string {
  const { code, message } = describeError(error);
  const isOurs = code === "internal" || code === "unavailable";
  return isOurs ? "something went wrong here. The operator's log says what." : message;
}

/** The reply if a hook has decided; undefined: the command runs. */
export function decided(verdict: CommandVerdict | undefined, name: string): string | undefined {
  if (verdict?.decision === "deny") return verdict.message ?? `/${name} was denied.`;
  return verdict?.decision === "handled" ? (verdict.message ?? "") : undefined;
}

/** The question that follows the command: a message of its own, in the same chat. */
export function followUp({ message, sessionKey }: InboxRow, command: string, text: string): AcceptedMessage {
  const eventId = `${message.eventId}/${command}`;
  return { message: { ...message, eventId, text, fromCommand: true }, sessionKey, receivedAt: nowSeconds() };
}
