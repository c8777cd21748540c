/**
 * A model that does what messages say: `m7x0 [post+note note] wait 80` is answered, after 80 ms, with two rounds of calls and
 * then with the message's token. It keeps no state: each request tells how far its turn is.
 */
import {
  type ChatBody,
  ModelServer,
  type RecordedRequest,
  type Scripted,
} from "../../emulators/model-server.js";

const ORDER = /\b(m\d+x0) \[([a-z_+ ]*)\] wait (\d+)/g;
const UNKNOWN = "outcome is unknown";

interface Order {
  token: string;
  /** Names of tools, by round. */
  rounds: string[][];
  waitMs: number;
}

/** One request of a turn. */
export interface Asked {
  /** The turn's first message. */
  token: string;
  /** Rounds of calls so far. */
  round: number;
  /** Messages of the turn. */
  tokens: string[];
  /** Results so far that say that their outcome is unknown. */
  unknown: number;
}

export async function orderedModel(): Promise<{ server: ModelServer; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = await ModelServer.start({ otherwise: (request) => answer(request, asked) });
  return { server, asked };
}

function answer({ body }: RecordedRequest, asked: Asked[]): Scripted {
  // A title.
  if (!body.tools?.length) return { text: ["Some title"] };
  const turn = turnOf(body.messages);
  const orders = turn.flatMap(({ role, content }) => (role === "user" ? ordersIn(textOf(content)) : []));
  if (orders.length === 0) return { text: ["No order"] };
  const round = turn.filter(({ role }) => role === "assistant").length;
  const results = turn.filter(({ role }) => role === "tool").map(({ content }) => textOf(content));
  const unknown = results.filter((text) => text.includes(UNKNOWN)).length;
  const tokens = orders.map(({ token }) => token);
  asked.push({ token: tokens[0]!, round, tokens, unknown });
  const planned = orders.flatMap(({ token, rounds }) => callsOf(token, rounds));
  const firstWordAfterMs = orders.at(-1)!.waitMs;
  const calls = planned[round];
  if (calls) return { calls, firstWordAfterMs };
  return { text: [...tokens.map((token) => `${token} `), `${results.length} calls`], firstWordAfterMs };
}

/** What came after the last answer. */
function turnOf(messages: ChatBody["messages"]): ChatBody["messages"] {
  const last = messages.findLastIndex(({ role, tool_calls }) => role === "assistant" && !tool_calls?.length);
  return messages.slice(last + 1);
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content ?? "");
}

function ordersIn(text: string): Order[] {
  return [...text.matchAll(ORDER)].map(([, token, rounds, wait]) => ({
    token: token!,
    rounds: rounds!
      .split(" ")
      .filter((round) => round !== "")
      .map((round) => round.split("+")),
    waitMs: Number(wait),
  }));
}

function callsOf(token: string, rounds: string[][]): NonNullable<Scripted["calls"]>[] {
  let call = 0;
  return rounds.map((names) =>
    // Ids repeat in every turn, as some models do it.
    names.map((name, i) => ({ id: `call_${i}`, name, arguments: { token, call: call++ } })),
  );
}
