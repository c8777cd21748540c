import { canShowTools } from "../adapters/adapter.js";
import type { GatewayEvent } from "../events.js";
import { targetOf } from "../message.js";
import { startOf } from "../text-limits.js";
import type { Context } from "./context.js";

const MAX_ARGUMENT_CHARS = 2000;

/** Forwards tool calls to chats that render them themselves. Returns a function that stops it. */
export function showTools({ events, adapterFor }: Pick<Context, "events" | "adapterFor">): () => void {
  return events.watch("shown tools", (event) => {
    if (event.type !== "tool-started" && event.type !== "tool-ended") return;
    if (event.message.task) return;
    const target = targetOf(event.message);
    const adapter = adapterFor(target);
    if (adapter && canShowTools(adapter)) adapter.showTool(target, shownCall(event));
  });
}

function shownCall(event: Extract<GatewayEvent, { type: "tool-started" | "tool-ended" }>) {
  const { turnId, callId, tool, args } = event;
  const about = { turnId, callId, tool, args: startOf(JSON.stringify(args) ?? "", MAX_ARGUMENT_CHARS) };
  if (event.type === "tool-started") return { ...about, state: "running" } as const;
  const state = event.ok ? ("done" as const) : ("failed" as const);
  return { ...about, state, seconds: Math.max(0, event.at - event.startedAt) };
}
