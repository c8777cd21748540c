import type { AgentBackend } from "../agents/backend.js";
import { killPoint } from "../kill-point.js";
import {
  assemble,
  boundaries,
  type CompressionSettings,
  isSummary,
  pruneToolOutput,
  summaryBudget,
  tailBudgetTokens,
} from "../policies/compression.js";
import type { ChatMessage, NewMessage, SessionKey, SessionRow } from "../session.js";
import type { Store } from "../store/store.js";

/**
 * A conversation that has grown too long → head + summary + tail in a child session. The parent stays as it was and
 * ends; the route moves to the child in the same transaction. Undefined when there is nothing to gain.
 */
export interface CompressDeps {
  store: Store;
  agent: Pick<AgentBackend, "contextLength">;
  settings: CompressionSettings;
  estimateTokens(message: ChatMessage): number;
  summarise(request: SummaryRequest): Promise<string>;
}

export interface SummaryRequest {
  middle: readonly ChatMessage[];
  previousSummary: string | undefined;
  focus: string;
  budgetTokens: number;
}

export interface Compressed {
  child: SessionRow;
  before: number;
  after: number;
}

const LEAST_MESSAGES = 4;

export async function compressSession(
  deps: CompressDeps,
  place: { key: SessionKey; epoch: number; sessionId: string },
  options: { focus?: string; hard?: boolean } = {},
): Promise<Compressed | undefined> {
  const conversation = await deps.store.getConversation(place.sessionId);
  if (conversation.length < LEAST_MESSAGES) return undefined;
  const cut = cutOf(deps, conversation, options.hard ?? false);
  if (!cut) return undefined;
  const pruned = pruneToolOutput(conversation, cut.tailStart);
  const middle = pruned.slice(cut.headEnd, cut.tailStart);
  const tokens = middle.reduce((sum, message) => sum + deps.estimateTokens(message), 0);
  const summary = await deps.summarise({
    middle,
    previousSummary: previousSummary(conversation),
    focus: options.focus ?? "",
    budgetTokens: summaryBudget(tokens, deps.agent.contextLength),
  });
  const messages = assemble(pruned.slice(0, cut.headEnd), summary, pruned.slice(cut.tailStart));
  killPoint("split-ready");
  const child = await deps.store.splitRoute({
    sessionKey: place.key,
    epoch: place.epoch,
    parentId: place.sessionId,
    messages: messages as NewMessage[],
  });
  killPoint("split-committed");
  return child && { child, before: conversation.length, after: messages.length };
}

/** `hard`: the model refused the whole as too long, or the person asked: then the tail gives way too. */
function cutOf(deps: CompressDeps, conversation: readonly ChatMessage[], hard: boolean) {
  const { settings, agent } = deps;
  const budget = tailBudgetTokens(agent.contextLength, settings);
  const limits = {
    protectFirst: settings.protectFirst,
    protectLast: hard ? Math.min(settings.protectLast, LEAST_MESSAGES) : settings.protectLast,
    tailTokens: budget,
    estimateTokens: deps.estimateTokens,
  };
  return (
    boundaries(conversation, limits) ??
    boundaries(conversation, { ...limits, maxTailMessages: Math.max(2, Math.floor(conversation.length / 4)) })
  );
}

function previousSummary(conversation: readonly ChatMessage[]): string | undefined {
  const found = conversation.find((message) => typeof message.content === "string" && isSummary(message));
  return found && String(found.content);
}
