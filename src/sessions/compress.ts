import type { AgentBackend } from "../agents/backend.js";
import { killPoint } from "../kill-point.js";
import {
  assemble,
  type CompressionSettings,
  isSummary,
  pruneToolOutput,
  summaryBudget,
} from "../policies/compression.js";
import { type CutReason, cutFor } from "../policies/compression-cut.js";
import type { ChatMessage, NewMessage, SessionId, SessionKey, SessionRow } from "../session.js";
import { inSlices } from "../slices.js";
import type { Store } from "../store/store.js";

/** A conversation that has grown too long → head + summary + tail, which go on in a child session. */
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
  /** Of the last prompt, where a provider counted them. */
  promptTokens?: number;
  /** What the summary should keep above all. */
  focus?: string;
}

/** What the child session will begin with. Nothing is stored yet. */
export interface Compression {
  before: number;
  messages: ChatMessage[];
}

export interface Compressed {
  child: SessionRow;
  before: number;
  after: number;
}

const LEAST_MESSAGES = 4;

/** Undefined when there is nothing to gain. */
export async function prepareCompression(
  deps: CompressDeps,
  sessionId: SessionId,
  { reason, promptTokens, focus = "" }: CompressOptions,
): Promise<Compression | undefined> {
  const { store, settings, estimateTokens } = deps;
  const { contextLength } = deps.agent;
  const conversation = await store.getConversation(sessionId);
  if (conversation.length < LEAST_MESSAGES) return undefined;
  // What is known of each message is remembered: the rules below are pure, ask again and wait for nothing.
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

/** The parent stays as it was and ends; the route moves to the child in the same transaction. Undefined when overtaken. */
export async function commitCompression(
  store: Store,
  place: { key: SessionKey; epoch: number; sessionId: SessionId },
  { before, messages }: Compression,
): Promise<Compressed | undefined> {
  killPoint("split-ready");
  const child = await store.splitRoute({
    sessionKey: place.key,
    epoch: place.epoch,
    parentId: place.sessionId,
    messages: messages as NewMessage[],
  });
  killPoint("split-committed");
  return child && { child, before, after: messages.length };
}

function previousSummary(conversation: readonly ChatMessage[]): string | undefined {
  const found = conversation.find((message) => typeof message.content === "string" && isSummary(message));
  return found && String(found.content);
}
