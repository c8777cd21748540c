/** Response URLs of slash commands. They work for half an hour, even in channels without the bot. */
import { SendError } from "../../errors.js";
import type { AdapterEvents } from "../adapter.js";
import { toSendError } from "./errors.js";

interface StoredUrl {
  id: string;
  url: string;
  atMs: number;
}

const CURSOR = "responses";
const LIFETIME_MS = 29 * 60_000;
const MAX_URLS = 100;

export interface ResponsesParts {
  events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  apiUrl: string;
  timeoutMs: number;
}

export class Responses {
  readonly #parts: ResponsesParts;
  #known: StoredUrl[] | undefined;

  constructor(parts: ResponsesParts) {
    this.#parts = parts;
  }

  /** Stored before the command runs, because its answer may come after a restart. */
  async remember(id: string, url: string | undefined): Promise<void> {
    if (url === undefined || !isSlackUrl(url, this.#parts.apiUrl)) return;
    const others = (await this.#load()).filter((response) => response.id !== id && isValid(response));
    this.#known = [...others, { id, url, atMs: Date.now() }].slice(-MAX_URLS);
    await this.#parts.events.saveCursor({ name: CURSOR, value: JSON.stringify(this.#known) });
  }

  /** Undefined if the id isn't a command's or its URL has expired. */
  async urlFor(id: string | null): Promise<string | undefined> {
    if (id === null) return undefined;
    return (await this.#load()).find((response) => response.id === id && isValid(response))?.url;
  }

  /** Visible only to the user who sent the command. */
  async respond(url: string, text: string, signal: AbortSignal): Promise<void> {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ response_type: "ephemeral", replace_original: false, text }),
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(this.#parts.timeoutMs)]),
    }).catch((error: unknown) => {
      throw toSendError(error);
    });
    await response.body?.cancel();
    if (response.ok) return;
    const outcome = response.status < 500 ? "refused" : "never_sent";
    throw new SendError(outcome, `Slack rejected the answer to a command: HTTP ${response.status}`);
  }

  async #load(): Promise<StoredUrl[]> {
    this.#known ??= parse(await this.#parts.events.cursor(CURSOR));
    return this.#known;
  }
}

function isValid({ atMs }: StoredUrl): boolean {
  return atMs > Date.now() - LIFETIME_MS;
}

/** Answers must go to Slack only. */
function isSlackUrl(address: string, apiUrl: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return (
    url.origin === new URL(apiUrl).origin || (url.protocol === "https:" && url.hostname === "hooks.slack.com")
  );
}

function parse(saved: string | undefined): StoredUrl[] {
  try {
    return saved ? (JSON.parse(saved) as StoredUrl[]) : [];
  } catch {
    // Unreadable: those commands are answered with posts.
    return [];
  }
}
