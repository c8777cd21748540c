/** Fills a home with demo data: two months of sessions, an hour of traffic, dead letters, pairing requests. */
import path from "node:path";
import { Random } from "../../bench/random.js";
import { newSessionId, nowSeconds } from "../../src/clock.js";
import type { MessageRow, SessionRow } from "../../src/session.js";
import { openStore } from "../../src/store/sqlite/index.js";
import type { ExportedSession } from "../../src/store/store.js";
import { BRANCH, DELEGATED, type Line, PEOPLE, PROJECT, TALKS, type Talk } from "./conversations.js";
import { SMALL_TALKS } from "./topics.js";
import { addTraffic } from "./traffic.js";

const DAY = 86_400;
const HOUR = 3600;

const MODELS = [
  { name: "claude-sonnet-4-6", weight: 0.55, usdPerToken: 5e-6 },
  { name: "gpt-5.1-mini", weight: 0.3, usdPerToken: 8e-7 },
  { name: "llama3.3", weight: 0.15, usdPerToken: 0 },
] as const;

const SOURCES: readonly [string, number][] = [
  ["telegram", 0.38],
  ["slack", 0.25],
  ["discord", 0.16],
  ["web", 0.12],
  ["cli", 0.03],
];

export interface DemoOptions {
  seed?: number;
  days?: number;
  /** Sessions on an ordinary day. */
  perDay?: number;
  /** Handled messages within the last hour. */
  traffic?: number;
  now?: number;
}

export interface Demo {
  /** The lineage's sessions: root, its two continuations, a branch, a delegated session. */
  project: { root: string; second: string; tip: string; branch: string; delegated: string };
  /** The most recently active session. */
  newest: string;
  sessions: number;
}

export async function makeDemo(home: string, options: DemoOptions = {}): Promise<Demo> {
  const { seed = 7, days = 60, perDay = 5, traffic = 420, now = nowSeconds() } = options;
  const random = new Random(seed);
  const file = path.join(home, "state.db");
  const store = await openStore({ path: file });
  try {
    const sessions = ordinaryDays(random, { days, perDay, now });
    const { project, talks } = projectSessions(random, now);
    const all = [...sessions, ...talks].toSorted((a, b) => a.started_at - b.started_at);
    await store.importSessions(all);
    const active = sessions.filter(({ ended_at }) => ended_at === null);
    await store.adopt({ routes: active.map((session) => routeOf(session)) });
    const newest = all.toSorted((a, b) => lastAt(b) - lastAt(a))[0]!;
    addTraffic(file, { random, now, traffic, sessions: active });
    return { project, newest: newest.id, sessions: all.length };
  } finally {
    await store.close();
  }
}

function ordinaryDays(
  random: Random,
  { days, perDay, now }: { days: number; perDay: number; now: number },
): ExportedSession[] {
  const talks = endlessly(random, [...TALKS, ...SMALL_TALKS]);
  return Array.from({ length: days }, (_, ago) => ago).flatMap((ago) => {
    const weekend = [0, 6].includes(new Date((now - ago * DAY) * 1000).getDay());
    const growth = 0.6 + 0.8 * (1 - ago / days);
    const count = Math.max(
      1,
      Math.round(perDay * growth * (weekend ? 0.5 : 1) * (0.7 + 0.6 * random.next())),
    );
    return Array.from({ length: count }, (_, k) => {
      // Today's sessions are within the last hours, regardless of the time of day.
      const startedAt =
        ago === 0 ? now - (0.3 + k * 1.1) * HOUR : now - ago * DAY - random.between(0, 10 * HOUR);
      return ordinary(random, startedAt, now, talks.next().value);
    });
  });
}

function ordinary(
  random: Random,
  startedAt: number,
  now: number,
  { talk, isFirst }: { talk: Talk; isFirst: boolean },
): ExportedSession {
  const source = talk.title === "Nightly report" ? "cron" : weighted(random, SOURCES);
  const person = random.pick(PEOPLE[source]!);
  const shared = source === "slack" && random.chance(0.4);
  const isOld = now - startedAt > 20 * HOUR;
  const session = talkToSession(random, talk, {
    source,
    startedAt,
    user: shared ? null : person.id,
    title: isFirst ? talk.title : null,
  });
  return isOld || source === "cron"
    ? {
        ...session,
        ended_at: lastAt(session) + HOUR,
        end_reason: source === "cron" ? "done" : "session_reset",
      }
    : session;
}

/** All in random order, repeated endlessly. Only the first pass has titles, because titles are unique. */
function* endlessly(
  random: Random,
  talks: readonly Talk[],
): Generator<{ talk: Talk; isFirst: boolean }, never> {
  for (let round = 0; ; round += 1) {
    const left = [...talks];
    while (left.length > 0)
      yield { talk: left.splice(random.between(0, left.length - 1), 1)[0]!, isFirst: round === 0 };
  }
}

interface Place {
  source: string;
  startedAt: number;
  user: string | null;
  title: string | null;
  id?: string;
}

function talkToSession(random: Random, talk: Talk, place: Place): ExportedSession {
  const { source, startedAt, user, title } = place;
  const id = place.id ?? newSessionId(new Date(startedAt * 1000), Buffer.from(random.hex(8), "hex"));
  const messages = talk.lines.map((line, i) =>
    messageOf(random, line, talk.lines[i - 1], startedAt + i * 41),
  );
  const model = weighted(
    random,
    MODELS.map((one) => [one, one.weight] as [(typeof MODELS)[number], number]),
  );
  const input = 900 * talk.lines.length + random.between(200, 9000);
  const output = messages.reduce((sum, { content }) => sum + String(content ?? "").length, 0);
  return {
    id,
    source,
    user_id: user,
    model: model.name,
    system_prompt: "You are Hermes, a helpful assistant. Be brief, be right, say what you don't know.",
    parent_session_id: null,
    started_at: startedAt,
    ended_at: null,
    end_reason: null,
    message_count: messages.length,
    tool_call_count: talk.lines.filter(({ call }) => call).length,
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: Math.round(input * 0.6),
    api_call_count: talk.lines.filter(({ who }) => who === "bot").length,
    estimated_cost_usd: (input + 4 * output) * model.usdPerToken,
    title,
    archived: 0,
    messages,
  } as ExportedSession;
}

function messageOf(random: Random, line: Line, before: Line | undefined, at: number): MessageRow {
  const callId = `call_${Math.round(at)}`;
  return {
    role: line.who === "bot" ? "assistant" : line.who,
    content: line.text || null,
    timestamp: at + random.next(),
    ...(line.call
      ? {
          tool_calls: [
            {
              id: callId,
              type: "function",
              function: { name: line.call.name, arguments: JSON.stringify(line.call.arguments) },
            },
          ],
        }
      : {}),
    ...(line.who === "tool" && before?.call
      ? { tool_name: before.call.name, tool_call_id: `call_${Math.round(at - 41)}` }
      : {}),
    ...(line.who === "user" ? { platform_message_id: String(random.between(1000, 99_999)) } : {}),
    active: 1,
  } as MessageRow;
}

/** Root → continuation → continuation, a branch of the root, and a session delegated by the second. */
function projectSessions(
  random: Random,
  now: number,
): { project: Demo["project"]; talks: ExportedSession[] } {
  const person = PEOPLE.slack![0]!.id;
  const at = (daysAgo: number) => now - daysAgo * DAY;
  const make = (talk: Talk, startedAt: number, more: Partial<SessionRow> = {}) => ({
    ...talkToSession(random, talk, { source: "slack", startedAt, user: person, title: talk.title }),
    model: "claude-sonnet-4-6",
    ...more,
  });
  const root = make(PROJECT[0]!, at(9), { ended_at: at(6), end_reason: "compression" });
  const second = make(PROJECT[1]!, at(6) + 1, {
    parent_session_id: root.id,
    ended_at: at(2),
    end_reason: "compression",
  });
  const tip = make(PROJECT[2]!, at(2) + 1, { parent_session_id: second.id });
  const branch = make(BRANCH, at(5), {
    parent_session_id: root.id,
    model_config: JSON.stringify({ _branched_from: root.id }),
    ended_at: at(4),
    end_reason: "session_reset",
  });
  const delegated = make(DELEGATED, at(3), {
    parent_session_id: second.id,
    model_config: JSON.stringify({ _delegate_from: second.id }),
    ended_at: at(3) + 300,
    end_reason: "done",
  });
  return {
    project: { root: root.id, second: second.id, tip: tip.id, branch: branch.id, delegated: delegated.id },
    talks: [root, second, tip, branch, delegated],
  };
}

function routeOf(session: ExportedSession) {
  const { id, source, user_id, started_at } = session;
  const person = PEOPLE[source]!.find((one) => one.id === user_id);
  const chatType = person ? "dm" : "channel";
  const chatId = person ? `chat-${person.id}` : "C04SHOP";
  return {
    sessionKey: `agent:main:${source}:${chatType}:${chatId}:${id.slice(-4)}`,
    sessionId: id,
    origin: {
      platform: source,
      chatType,
      chatId,
      chatName: person ? person.name : "#shop",
      userId: user_id,
      userName: person?.name ?? null,
    },
    tuple: JSON.stringify([source, chatType, chatId, id]),
    createdAt: started_at,
    updatedAt: lastAt(session),
    lastPromptTokens: 0,
    flags: {},
  };
}

function lastAt({ messages, started_at }: ExportedSession): number {
  return messages.at(-1)?.timestamp ?? started_at;
}

function weighted<T>(random: Random, choices: readonly (readonly [T, number])[]): T {
  let left = random.next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [choice, weight] of choices) {
    left -= weight;
    if (left <= 0) return choice;
  }
  return choices[0]![0];
}
