import { nowSeconds } from "../clock.js";
import { unknownCommand } from "../commands/admin.js";
import type { Command } from "../commands/command.js";
import { commands } from "../commands/index.js";
import { parseCommand } from "../commands/parse-command.js";
import { type InboundMessage, targetOf } from "../message.js";
import { NOT_LISTED, type Rejection, rejectionOf, TOO_OLD } from "../policies/admission.js";
import type { InboxRow } from "../store/queues.js";
import type { CommandRunner } from "./command-runner.js";
import type { Context } from "./context.js";
import type { Delivery } from "./deliver.js";
import { aboutMessage } from "./event-facts.js";
import type { MemoryFlushes } from "./memory-flush.js";
import { MissedReport } from "./missed-report.js";
import { Pairing } from "./pairing.js";
import type { Previews } from "./previews.js";
import type { FoundAnswer, Questions } from "./questions.js";
import type { Queue } from "./queue.js";
import { type RouterOptions, routerOptionsOf } from "./router-options.js";

/** message → ignore(reason) / refuse(reason) / pair / command / unknown command / turn. */
export type Decision =
  | Rejection
  | { to: "command"; command: Command; args: string }
  | { to: "unknown_command"; name: string }
  /** `otherwise`: the decision if the question has been answered in the meantime. */
  | { to: "answer"; found: FoundAnswer; otherwise: "turn" | "ignore" }
  | { to: "turn" };

export async function decide(
  message: InboundMessage,
  options: RouterOptions,
  receivedAt: number,
): Promise<Decision> {
  const decision = decideNow(message, options, receivedAt);
  if (!("reason" in decision) || decision.reason !== NOT_LISTED) return decision;
  const { platform, origin } = message;
  const ids = [origin.userId, origin.userIdAlt].filter((id) => !!id) as string[];
  // Pairing only adds people, so the store is asked only about those who aren't listed.
  if (!(await options.isPaired(platform, ids))) return decision;
  return decideNow(message, options, receivedAt, true);
}

/** Decides without the store: an unlisted person counts as a stranger unless the caller knows better. */
function decideNow(
  message: InboundMessage,
  options: RouterOptions,
  receivedAt: number,
  paired = false,
): Decision {
  const { task, edited, fromCommand } = message;
  const arrival = { receivedAt, startedAt: options.startedAt };
  const rejection = rejectionOf(message, options.of(message.platform), arrival, paired);
  if (rejection) return rejection;
  // Not a typed command, even if the text starts with a slash.
  if (task || edited || fromCommand) return { to: "turn" };
  const { isCommand, command: name, args } = parseCommand(message.text);
  if (!isCommand || name === null) return { to: "turn" };
  const command = options.findCommand(name);
  return command ? { to: "command", command, args } : { to: "unknown_command", name };
}

export interface RouterStages {
  queue: Queue;
  commandRunner: CommandRunner;
  delivery: Delivery;
  previews: Previews;
  memoryFlushes: MemoryFlushes;
  questions: Questions;
}

/** Decides what happens to a message and passes it on. */
export class Router {
  readonly #context: Context;
  readonly #stages: RouterStages;
  readonly #options: RouterOptions;
  readonly #missed: MissedReport;
  readonly #pairing: Pairing;

  constructor(context: Context, stages: RouterStages) {
    this.#context = context;
    this.#stages = stages;
    this.#options = routerOptionsOf(context.config, context.store, nowSeconds());
    this.#missed = new MissedReport(context.log);
    this.#pairing = new Pairing(context.store);
  }

  async route(row: InboxRow): Promise<void> {
    const memoryOf = row.message.task?.memoryOf;
    if (memoryOf !== undefined) return this.#stages.memoryFlushes.add(row, memoryOf);
    const startedAt = nowSeconds();
    const decision = await this.#decide(row);
    const reason = "reason" in decision ? decision.reason : null;
    this.#routed(row, decision.to, reason, startedAt);
    if (decision.to === "turn") return this.#stages.queue.add(row);
    await this.#act(row, decision);
    if (reason === TOO_OLD) this.#missed.add(row.message.platform, row.message.sentAt);
    this.#stages.delivery.wake();
  }

  /** A message that would start a turn or be ignored may answer an open question. */
  async #decide(row: InboxRow): Promise<Decision> {
    const decision = await decide(row.message, this.#options, row.receivedAt);
    if (decision.to !== "turn" && decision.to !== "ignore") return decision;
    // The message of an interrupted turn asked the question; it isn't an answer.
    if (row.turnId !== null) return decision;
    const found = await this.#stages.questions.answerIn(row);
    return found ? { to: "answer", found, otherwise: decision.to } : decision;
  }

  /** Whether a message gets a turn, if that can be decided without the store. */
  getsTurn(message: InboundMessage, receivedAt: number): boolean {
    // A message may answer an open question.
    if (message.task?.memoryOf !== undefined || this.#stages.questions.hasOpen) return false;
    return decideNow(message, this.#options, receivedAt).to === "turn";
  }

  /** Its turn started with the commit that accepted it. */
  startedEarly(row: InboxRow): void {
    this.#routed(row, "turn", null, row.receivedAt);
  }

  stop(): void {
    this.#missed.flush();
  }

  #routed(row: InboxRow, to: Decision["to"], reason: string | null, startedAt: number): void {
    this.#context.events.emit({ type: "routed", to, reason, startedAt, ...aboutMessage(row) });
  }

  async #act(row: InboxRow, decision: Exclude<Decision, { to: "turn" }>): Promise<void> {
    const { commandRunner } = this.#stages;
    switch (decision.to) {
      case "ignore":
      case "refuse":
        return this.#settle(row, "refused", decision.reason);
      case "pair":
        return this.#pairing.answer(row);
      case "unknown_command":
        if (commandRunner.isHooked(decision.name)) return commandRunner.runHooked(row, decision.name);
        return this.#settle(row, "done", "unknown command", unknownCommand(decision.name, commands));
      case "answer":
        return this.#answer(row, decision);
      case "command":
        return commandRunner.run(row, decision.command, decision.args);
    }
  }

  /** The answer to a command's question runs the command. */
  async #answer(row: InboxRow, { found, otherwise }: Extract<Decision, { to: "answer" }>): Promise<void> {
    const outcome = await this.#stages.questions.answer(found, row);
    if (outcome === "late" && !row.message.choice && otherwise === "turn") return this.#stages.queue.add(row);
    if (outcome === "refused") return this.#settle(row, "refused", "not asked");
    const command = outcome === "decided" ? found.question.commands?.[found.choice?.id ?? ""] : undefined;
    if (command === undefined) return this.#settle(row, "done", "answer");
    await this.#stages.commandRunner.runChosen(row, command);
  }

  async #settle(row: InboxRow, state: "done" | "refused", reason: string, text?: string): Promise<void> {
    const replies = text ? [{ target: targetOf(row.message), kind: "command" as const, text }] : [];
    await this.#context.store.settleMessage({ inboxId: row.id, state, reason, replies });
    if (replies.length === 0) this.#stages.previews.dismiss(row);
  }
}
