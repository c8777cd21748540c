/** Web search by SearXNG, Brave or Tavily: a query → titles, addresses and excerpts. */
import { HermesError } from "../../errors.js";
import { startOf } from "../../text-limits.js";

export interface SearchSettings {
  backend: string | null;
  searxngUrl: string | null;
  braveKey: string | null;
  tavilyKey: string | null;
}

export interface WebHit {
  title: string;
  url: string;
  description: string;
}

interface Backend {
  /** What has to be set; undefined if nothing is missing. */
  missing(settings: SearchSettings): string | undefined;
  request(query: string, limit: number, settings: SearchSettings): { url: URL; init: RequestInit };
  hits(body: unknown): unknown;
}

const BACKENDS: Readonly<Record<string, Backend>> = {
  searxng: {
    missing: ({ searxngUrl }) => (searxngUrl ? undefined : "web.searxng_url (SEARXNG_URL)"),
    request: (query, _, { searxngUrl }) => {
      const url = new URL(`${searxngUrl!.replace(/\/$/, "")}/search`);
      url.search = new URLSearchParams({ q: query, format: "json" }).toString();
      return { url, init: {} };
    },
    hits: (body) => at(body, "results"),
  },
  brave: {
    missing: ({ braveKey }) => (braveKey ? undefined : "web.brave_api_key (BRAVE_SEARCH_API_KEY)"),
    request: (query, limit, { braveKey }) => {
      const url = new URL("https://api.search.brave.com/res/v1/web/search");
      url.search = new URLSearchParams({ q: query, count: String(limit) }).toString();
      return { url, init: { headers: { "x-subscription-token": braveKey! } } };
    },
    hits: (body) => at(at(body, "web"), "results"),
  },
  tavily: {
    missing: ({ tavilyKey }) => (tavilyKey ? undefined : "web.tavily_api_key (TAVILY_API_KEY)"),
    request: (query, limit, { tavilyKey }) => ({
      url: new URL("https://api.tavily.com/search"),
      init: {
        method: "POST",
        headers: { authorization: `Bearer ${tavilyKey}`, "content-type": "application/json" },
        body: JSON.stringify({ query, max_results: limit }),
      },
    }),
    hits: (body) => at(body, "results"),
  },
};

/** Hermes' other names. */
const ALIASES: Readonly<Record<string, string>> = { "brave-free": "brave", "brave-search": "brave" };

const NAMES = Object.keys(BACKENDS);

/** The backend in use, or what to set. */
function chosen(settings: SearchSettings): { name: string; backend: Backend } | { problem: string } {
  const wanted = settings.backend && (ALIASES[settings.backend] ?? settings.backend);
  const name = wanted ?? NAMES.find((one) => BACKENDS[one]!.missing(settings) === undefined);
  if (name === undefined)
    return { problem: `set one of ${NAMES.map((one) => BACKENDS[one]!.missing(settings)).join(", ")}` };
  const backend = Object.hasOwn(BACKENDS, name) ? BACKENDS[name] : undefined;
  if (!backend) return { problem: `web.search_backend is "${name}": use ${NAMES.join(", ")}` };
  const missing = backend.missing(settings);
  return missing === undefined ? { name, backend } : { problem: `set ${missing}` };
}

export function searchProblem(settings: SearchSettings): string | undefined {
  const choice = chosen(settings);
  return "problem" in choice ? choice.problem : undefined;
}

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 2_000_000;
const MAX_CHARS = 500;

/** The operator chose the server, so it may be on a private network. */
export async function searchWeb(
  query: string,
  limit: number,
  settings: SearchSettings,
  options: { signal: AbortSignal; fetch?: typeof fetch },
): Promise<WebHit[]> {
  const choice = chosen(settings);
  if ("problem" in choice)
    throw new HermesError("unavailable", `Web search isn't set up: ${choice.problem}.`);
  const { name, backend } = choice;
  const { url, init } = backend.request(query, limit, settings);
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const body = await ask(options.fetch ?? fetch, url, { ...init, signal, redirect: "error" }).catch(
    (error: unknown) => {
      options.signal.throwIfAborted();
      const why = signal.aborted ? `no answer within ${TIMEOUT_MS / 1000} s` : messageOf(error);
      throw new HermesError("unavailable", `The search (${name}) failed: ${why}.`);
    },
  );
  const found = backend.hits(body);
  return (Array.isArray(found) ? found : []).flatMap(hitOf).slice(0, limit);
}

async function ask(request: typeof fetch, url: URL, init: RequestInit): Promise<unknown> {
  const response = await request(url, init);
  if (!response.ok) {
    await response.body?.cancel();
    const forbidden = response.status === 403 ? " (a SearXNG server must allow the format json)" : "";
    throw new Error(`HTTP ${response.status}${forbidden}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error("the answer is too long");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** Each of them has title and url; the excerpt has different names. */
function hitOf(result: unknown): WebHit[] {
  const text = (name: string) => {
    const value = at(result, name);
    return typeof value === "string" ? startOf(value, MAX_CHARS) : "";
  };
  const url = at(result, "url");
  if (typeof url !== "string" || !URL.canParse(url)) return [];
  return [{ title: text("title"), url, description: text("content") || text("description") }];
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function messageOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? cause.message : message;
}
