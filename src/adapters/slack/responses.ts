/** Slack's own address for the answer to a slash command: it works where the bot isn't a member, for half an hour. */
import { SendError } from "../../errors.js";
import type { AdapterEvents } from "../adapter.js";
import { toSendError } from "./faults.js";

interface Response {
  id: string;
  url: string;
  atMs: number;
}

const CURSOR = "responses";
const LIFETIME_MS = 29 * 60_000;
const MOST = 100;

export interface ResponsesParts {
  events: Pick<AdapterEvents, "cursor" | "saveCursor">;
  apiUrl: string;
  timeoutMs: number;
}

export class Responses {
  readonly #parts: ResponsesParts;
  #known: Response[] | undefined;

  constructor(parts: ResponsesParts) {
    this.#parts = parts;
  }

  /** Written down before the command is carried out: its answer may come after a restart. */
  async remember(id: string, url: string | undefined): Promise<void> {
    if (url === undefined || !isSlacks(url, this.#parts.apiUrl)) return;
    const others = (await this.#load()).filter((response) => response.id !== id && isAlive(response));
    this.#known = [...others, { id, url, atMs: Date.now() }].slice(-MOST);
    await this.#parts.events.saveCursor({ name: CURSOR, value: JSON.stringify(this.#known) });
  }

  /** Undefined: it answers no command, or that was too long ago. */
  async urlFor(id: string | null): Promise<string | undefined> {
    if (id === null) return undefined;
    return (await this.#load()).find((response) => response.id === id && isAlive(response))?.url;
  }

  /** Seen by the one who gave the command. */
  async respond(url: string, text: string, signal: AbortSignal): Promise<void> {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ response_type: "ephemeral", replace_original: false, text }),
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(this.#parts.timeoutMs)]),
    }).catch((error: unknown) => {
      throw toSendError(error);
    });
    await answer.body?.cancel();
    if (answer.ok) return;
    const outcome = answer.status < 500 ? "refused" : "never_sent";
    throw new SendError(outcome, `Slack took no answer to the command: HTTP ${answer.status}`);
  }

  async #load(): Promise<Response[]> {
    this.#known ??= parse(await this.#parts.events.cursor(CURSOR));
    return this.#known;
  }
}

function isAlive({ atMs }: Response): boolean {
  return atMs > Date.now() - LIFETIME_MS;
}

/** What is posted there is an answer of ours: it goes to Slack and nowhere else. */
function isSlacks(address: string, apiUrl: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return (
    url.origin === new URL(apiUrl).origin || (url.protocol === "https:" && url.hostname === "hooks.slack.com")
  );
}

function parse(saved: string | undefined): Response[] {
  try {
    return saved ? (JSON.parse(saved) as Response[]) : [];
  } catch {
    return [];
  }
}
