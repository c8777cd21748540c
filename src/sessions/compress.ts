import type { AgentBackend } from "../agents/backend.js";
import { killPoint } from "../kill-point.js";
import { assemble, isSummary, pruneToolOutput } from "../policies/compression.js";
import { type CutReason, cutFor } from "../policies/compression-cut.js";
import { type CompressionSettings, summaryBudget } from "../policies/compression-limits.js";
import type { ChatMessage, NewMessage, SessionId, SessionKey, SessionRow } from "../session.js";
import { inSlices } from "../slices.js";
import type { Store } from "../store/store.js";

/** Compresses a long conversation to head + summary + tail, which continue in a child session. */
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

export interface CompressOptions {
  reason: CutReason;
  /** Tokens of the last prompt, if the provider reported them. */
  promptTokens?: number;
  /** What the summary should focus on. */
  focus?: string;
}

/** The child session's first messages, not stored yet. */
export interface Compression {
  before: number;
  messages: ChatMessage[];
}

export interface Compressed {
  child: SessionRow;
  before: number;
  after: number;
}

const MIN_MESSAGES = 4;

/** Undefined if compression would gain nothing. */
export async function prepareCompression(
  deps: CompressDeps,
  sessionId: SessionId,
  { reason, promptTokens, focus = "" }: CompressOptions,
): Promise<Compression | undefined> {
  const { store, settings, estimateTokens } = deps;
  const { contextLength } = deps.agent;
  const conversation = await store.getConversation(sessionId);
  if (conversation.length < MIN_MESSAGES) return undefined;
  // Fills the estimator's cache without blocking the event loop; the rules below are synchronous.
  await inSlices(conversation, estimateTokens);
  const cut = cutFor(conversation, {
    ...{ reason, contextLength, settings, estimateTokens },
    ...(promptTokens ? { promptTokens } : {}),
  });
  if (!cut) return undefined;
  const pruned = pruneToolOutput(conversation, cut.tailStart);
  const middle = pruned.slice(cut.headEnd, cut.tailStart);
  const tokens = middle.reduce((sum, message) => sum + estimateTokens(message), 0);
  const summary = await deps.summarise({
    middle,
    previousSummary: previousSummary(conversation),
    focus,
    budgetTokens: summaryBudget(tokens, contextLength),
  });
  const messages = assemble(pruned.slice(0, cut.headEnd), summary, pruned.slice(cut.tailStart));
  return { before: conversation.length, messages };
}

/** Ends the parent unchanged and moves the route to the child in one transaction. Undefined if the epoch is outdated. */
export async function commitCompression(
  store: Store,
  route: { key: SessionKey; epoch: number; sessionId: SessionId },
  { before, messages }: Compression,
): Promise<Compressed | undefined> {
  killPoint("split-ready");
  const child = await store.splitRoute({
    sessionKey: route.key,
    epoch: route.epoch,
    parentId: route.sessionId,
    messages: messages as NewMessage[],
  });
  killPoint("split-committed");
  return child && { child, before, after: messages.length };
}

function previousSummary(conversation: readonly ChatMessage[]): string | undefined {
  const found = conversation.find((message) => typeof message.content === "string" && isSummary(message));
  return found && String(found.content);
}
