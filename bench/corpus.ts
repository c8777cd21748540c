import type { NewMessage, SessionId } from "../src/session.js";
import { Random } from "./random.js";
import { type Language, Text } from "./text.js";
import { ENGLISH, TOOLS } from "./words.js";

/**
 * A generated history, the same on every run: sessions of mixed length and language, four at a time, spread evenly over
 * the past months. Created group by group to limit memory.
 */
export interface Session {
  id: SessionId;
  source: string;
  user_id: string;
  model: string;
  title: string;
  started_at: number;
}
export interface Line {
  session: SessionId;
  message: NewMessage;
}
export interface Group {
  sessions: Session[];
  /** In chronological order: the four sessions alternate. */
  lines: Line[];
}

const LENGTHS = [28, 48, 68, 128];
export const SESSIONS_PER_GROUP = LENGTHS.length;
export const MESSAGES_PER_GROUP = LENGTHS.reduce((sum, n) => sum + n, 0);
const GROUP_SECONDS = 50_000;
/** A word that occurs in few messages, and one that occurs in most. */
export const RARE_WORD = "zanzibarium";
export const COMMON_WORD = "the";
/** Occurs occasionally, verbatim. */
const PHRASE = "the docker build fails again";

const SOURCES = ["cli", "telegram", "discord", "slack", "whatsapp"];
const MODELS = ["claude-sonnet-4.6", "gpt-5.2", "qwen3-max", "gemini-3-pro"];

/** The n-th group of a history with `total` groups in the past. */
export function makeGroup(index: number, total: number): Group {
  const random = new Random(index * 7919 + 1);
  const start = Date.now() / 1000 - (total - index) * GROUP_SECONDS;
  const sessions = LENGTHS.map((_, i) => makeSession(random, index * SESSIONS_PER_GROUP + i, start + i));
  const queues = sessions.map((session, i) => talk(random, session.id, LENGTHS[i]!));
  const lines: Line[] = [];
  for (let turn = 0; lines.length < MESSAGES_PER_GROUP; turn += 1) {
    const next = queues[turn % queues.length]!.next();
    if (next.done) continue;
    next.value.message.timestamp = start + 10 + lines.length * 20;
    lines.push(next.value);
  }
  return { sessions, lines };
}

function makeSession(random: Random, n: number, started_at: number): Session {
  return {
    id: `bench_${String(n).padStart(6, "0")}_${random.hex(8)}`,
    source: random.pick(SOURCES),
    user_id: `user_${random.between(1, 40)}`,
    model: random.pick(MODELS),
    title: titleOf(n),
    started_at,
  };
}

/** A hundred sessions belong to one long lineage; the others have unique titles. */
export function titleOf(n: number): string {
  if (n % 10 === 0 && n < 1000) return n === 0 ? LINEAGE : `${LINEAGE} #${n / 10 + 1}`;
  const word = (k: number) => ENGLISH[(n * k) % ENGLISH.length]!;
  return `${word(13)} ${word(29)} ${n}`;
}
export const LINEAGE = "Fix Docker build";

/** Repeats a question, some tool rounds and an answer. */
function* talk(random: Random, session: SessionId, count: number): Generator<Line> {
  const text = new Text(random, languageOf(random));
  const line = (message: NewMessage): Line => ({ session, message });
  for (let left = count; left > 0; ) {
    yield line({ role: "user", content: question(text) });
    if (--left === 0) return;
    for (let rounds = random.between(0, 3); rounds > 0 && left > 2; rounds -= 1, left -= 2) {
      const call = `call_${random.hex(24)}`;
      const tool = random.pick(TOOLS);
      yield line(toolCall(text, call, tool));
      const content = text.toolOutput(heavy(random, 1300));
      yield line({ role: "tool", content, tool_call_id: call, tool_name: tool });
    }
    yield line({ role: "assistant", content: answer(text), finish_reason: "stop", token_count: 400 });
    left -= 1;
  }
}

function languageOf(random: Random): Language {
  const at = random.next();
  if (at < 0.78) return "en";
  if (at < 0.86) return "zh";
  return at < 0.92 ? "ja" : "vi";
}

/** Mostly short, sometimes very long, `mean` on average. */
const heavy = (random: Random, mean: number) => Math.min(40_000, 20 - mean * Math.log(1 - random.next()));

const isDense = ({ language }: Text) => language === "zh" || language === "ja";

function question(text: Text): string {
  const { random } = text;
  const words = text.prose(heavy(random, isDense(text) ? 50 : 140));
  if (random.chance(0.004)) return `${words} ${RARE_WORD}`;
  return random.chance(0.03) ? `${words} ${PHRASE}` : words;
}

function toolCall(text: Text, id: string, name: string): NewMessage {
  const command = `cat ${text.path()} | grep -n "${text.prose(8, "en")}"`;
  const args = JSON.stringify({ command, path: text.path(), note: text.prose(60) });
  return {
    role: "assistant",
    content: text.random.chance(0.5) ? null : text.prose(120),
    tool_calls: [{ id, type: "function", function: { name, arguments: args } }],
    finish_reason: "tool_calls",
  };
}

function answer(text: Text): string {
  const { random } = text;
  const words = text.prose(heavy(random, isDense(text) ? 260 : 720));
  return random.chance(0.4) ? `${words}\n\n${text.code(heavy(random, 500))}` : words;
}
