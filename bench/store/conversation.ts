import { Database } from "../../src/store/sqlite/driver.js";
import { inTurns, median, p50p95 } from "../measure.js";
import { freshLines } from "./appends.js";
import type { Pair, Scene } from "./scene.js";

const MESSAGES = 500;
/** Interleaved sessions, as in a busy gateway: a session's rows aren't adjacent. */
const CONCURRENT_SESSIONS = 3;
const LIMIT = 1.6;

/**
 * Loading a conversation, the first step of every turn. *Plain* does the same in this thread without a store: one
 * prepared SELECT of the six replayed columns on the same file, rows as arrays, `JSON.parse` of tool calls, an object per
 * message. Ours uses the reader thread.
 */
export async function benchConversation(scene: Scene, pair: Pair): Promise<void> {
  scene.say(`a conversation of ${MESSAGES} messages`);
  const { store } = pair;
  const lines = await freshLines(pair, MESSAGES * CONCURRENT_SESSIONS);
  const sessions = await Promise.all(
    Array.from({ length: CONCURRENT_SESSIONS }, () => store.createSession({ source: "cli" })),
  );
  for (const [i, { message }] of lines.entries())
    await store.appendMessages(sessions[i % CONCURRENT_SESSIONS]!.id, [message]);
  const { id } = sessions[0]!;
  const bare = bareReader(pair.storePath);
  const found = await store.getConversation(id);
  if (JSON.stringify(found) !== JSON.stringify(bare.read(id)))
    throw new Error("The two conversations differ");
  const [plainTimes, times] = (await inTurns([() => bare.read(id), () => store.getConversation(id)], {
    budgetMs: scene.sizes.searchBudgetMs,
    atLeast: 50,
    atMost: 500,
  })) as [number[], number[]];
  bare.close();
  const ratio = median(plainTimes) / median(times);
  scene.rows.push({
    ratio,
    what: `load a conversation of ${MESSAGES} messages`,
    ours: p50p95(times),
    plain: p50p95(plainTimes),
    target: `≥ ${(1 / LIMIT).toFixed(2)}× (≤ ${LIMIT} × bare)`,
    met: ratio >= 1 / LIMIT,
  });
}

function bareReader(file: string): { read(id: string): unknown[]; close(): void } {
  const db = new Database(file, { readonly: true });
  const select = db
    .prepare(
      `SELECT role, content, tool_calls, tool_call_id, tool_name, platform_message_id FROM messages
       WHERE session_id = ? AND active = 1 AND role NOT IN ('session_meta', 'system') ORDER BY id`,
    )
    .raw();
  return {
    read: (id) => (select.all(id) as (string | null)[][]).map(toMessage),
    close: () => db.close(),
  };
}

function toMessage([role, content, toolCalls, toolCallId, toolName, messageId]: (string | null)[]): unknown {
  return {
    role,
    content,
    ...(toolCalls ? { tool_calls: JSON.parse(toolCalls) } : {}),
    ...(toolCallId ? { tool_call_id: toolCallId } : {}),
    ...(toolName ? { tool_name: toolName } : {}),
    ...(messageId ? { message_id: messageId } : {}),
  };
}
