import type { SessionRow } from "../session.js";
import type { Store } from "../store/store.js";
import type { Command, CommandCall, CommandOutcome } from "./command.js";
import { currentSession, noSession } from "./parts/current-session.js";
import { blocks, bullets, counted, dollars, grouped } from "./parts/text.js";

export const usage: Command = {
  name: "usage",
  description: "Tokens and cost of this session",
  group: "about",
  when: "now",
  run,
};

async function run(call: CommandCall): Promise<CommandOutcome> {
  const session = currentSession(call);
  if (!session) return { reply: await noSession(call) };
  const conversation = await conversationOf(call.gateway.store, session);
  const whole = conversation.length > 1;
  return {
    reply: blocks(
      report("This session", [session]),
      whole && report(`Whole conversation (${counted(conversation.length, "session")})`, conversation),
    ),
  };
}

/** The session and the sessions it continues after compression. A branch's original is another conversation. */
async function conversationOf(store: Store, session: SessionRow): Promise<SessionRow[]> {
  const lineage = await store.getLineage(session.id);
  const nodes = [...lineage.ancestors, lineage.session];
  const first = nodes.findLastIndex(({ kind }) => kind !== "compression");
  const rows = await Promise.all(nodes.slice(Math.max(0, first)).map(({ id }) => store.getSession(id)));
  return rows.filter((row) => row !== undefined);
}

function report(heading: string, sessions: readonly SessionRow[]): string {
  const sum = (column: Counter) => grouped(sessions.reduce((total, session) => total + session[column], 0));
  const facts = bullets(
    `Tokens: ${sum("input_tokens")} in, ${sum("output_tokens")} out`,
    `Cached: ${sum("cache_read_tokens")} read, ${sum("cache_write_tokens")} written`,
    `Model calls: ${sum("api_call_count")}`,
    `Cost: ${cost(sessions)}`,
  );
  return blocks(`**${heading}**`, facts);
}

type Counter =
  | "input_tokens"
  | "output_tokens"
  | "cache_read_tokens"
  | "cache_write_tokens"
  | "api_call_count";

function cost(sessions: readonly SessionRow[]): string {
  const known = sessions
    .map((session) => session.actual_cost_usd ?? session.estimated_cost_usd)
    .filter((usd) => usd !== null);
  return known.length === 0 ? "unknown" : dollars(known.reduce((total, usd) => total + usd, 0));
}
