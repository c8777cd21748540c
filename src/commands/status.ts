import type { SessionRow } from "../session.js";
import type { RouteRow } from "../store/queues.js";
import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { currentSession, noSession } from "./parts/current-session.js";
import { blocks, bullets, code, counted, grouped } from "./parts/text.js";
import { ago, duration, localTime } from "./parts/times.js";

export const status: Command = {
  name: "status",
  description: "This session, its running turn and next reset",
  group: "about",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const session = currentSession(call);
  const { route } = call;
  if (!session || !route)
    return { reply: blocks(await noSession(call), bullets(await model(call), activity(call))) };
  return {
    reply: bullets(
      `Session: ${code(session.id)}`,
      `Title: ${session.title === null ? "none yet, `/title <text>` sets one" : code(session.title)}`,
      `Started: ${localTime(session.started_at, call.gateway.config.timezone)}, ${ago(session.started_at, call.now)}`,
      `Messages: ${grouped(session.message_count)}`,
      await model(call),
      context(call, route),
      tokens(session),
      activity(call),
      `Next reset: ${nextReset(call, route)}`,
    ),
  };
}

async function model({ gateway, key }: CommandCall): Promise<string> {
  return `Model: ${code(await gateway.model(key))}`;
}

function context({ gateway }: CommandCall, { lastPromptTokens }: RouteRow): string {
  const used = Math.round((100 * lastPromptTokens) / gateway.contextLength);
  return `Context: ${grouped(lastPromptTokens)} of ${grouped(gateway.contextLength)} tokens (${used} %)`;
}

function tokens({ input_tokens, output_tokens }: SessionRow): string {
  return `Tokens: ${grouped(input_tokens)} in, ${grouped(output_tokens)} out`;
}

function activity({ gateway, key }: CommandCall): string {
  const waiting = gateway.waiting(key);
  const queued = waiting > 0 ? `, ${counted(waiting, "message")} waiting` : "";
  return `Now: ${gateway.isRunning(key) ? "answering" : "idle"}${queued}`;
}

function nextReset({ gateway, now }: CommandCall, route: RouteRow): string {
  const next = gateway.nextReset(route);
  if (!next) return "no automatic reset";
  if (next.at <= now) return `${next.reason}, due: the next message starts a new session`;
  const unless = next.reason === "idle" ? " without new messages" : "";
  return `${next.reason} at ${localTime(next.at, gateway.config.timezone)}, in ${duration(next.at - now)}${unless}`;
}
