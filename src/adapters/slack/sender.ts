/** An answer → one or several posts, each with a mark. What was posted before is found again, not posted twice. */
import { setTimeout as sleep } from "node:timers/promises";
import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { OutboundMessage, Receipt, Target } from "../../message.js";
import type { LookedUp } from "../adapter.js";
import type { SlackApi } from "./api.js";
import { BoundedMap } from "./bounded-map.js";
import type { SlackSettings } from "./config.js";
import { slackCode, toSendError } from "./faults.js";
import { pages } from "./history.js";
import { isTs, streamId } from "./ids.js";
import type { Identity, SlackEvent } from "./native.js";
import { editBody, MARKER_TYPE, markerOf, PREVIEW_TYPE, placeOf } from "./outgoing.js";
import { render } from "./render.js";
import type { Responses } from "./responses.js";
import type { Part } from "./split.js";
import type { Streams } from "./streams.js";
import type { Threads } from "./threads.js";
import { upload } from "./upload.js";

export interface SenderParts {
  settings: SlackSettings;
  api: SlackApi;
  identity: Identity;
  streams: Streams;
  threads: Threads;
  responses: Responses;
}

/** What of a message is there already: step → ts. Its files, all together, are the step after the last part. */
interface Progress {
  steps: Map<number, string>;
  /** When the last attempt ended without an answer. */
  unsureAtMs?: number;
}

interface Plan {
  parts: readonly Part[];
  files: readonly SendableFile[];
}

const MOST_PROGRESS = 500;
const MOST_PAGES = 10;
/** The message that would be edited is gone, or Slack doesn't let us: a new one takes its place. */
const NOT_EDITABLE = new Set([
  "message_not_found",
  "cant_update_message",
  "edit_window_closed",
  "message_not_owned_by_app",
  "is_inactive",
]);

const CLOSED_TO_US = new Set(["not_in_channel", "channel_not_found"]);

export class Sender {
  readonly #parts: SenderParts;
  readonly #progress = new BoundedMap<string, Progress>(MOST_PROGRESS);
  /** An attempt that we don't remember was made by a process before this one. */
  readonly #startedAtMs = performance.now();

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<Receipt> {
    const plan = await this.#plan(message);
    const progress = await this.#resume(message, plan, signal);
    this.#progress.set(message.nonce, progress);
    for (const step of stepsOf(plan)) {
      if (progress.steps.has(step)) continue;
      progress.steps.set(step, await this.#doStep(message, plan, step, progress, signal));
    }
    this.#tookPart(message.target);
    return receiptOf(progress);
  }

  #tookPart({ chatId, threadId, userId }: Target): void {
    if (!chatId || !threadId) return;
    this.#parts.threads.joined(chatId, threadId);
    // Whom it answers has spoken to it, called by its name or not.
    if (userId) this.#parts.threads.visited(chatId, userId, threadId);
  }

  async lookUp(message: OutboundMessage, signal: AbortSignal): Promise<LookedUp> {
    try {
      const plan = await this.#plan(message);
      const steps = await this.#findSettled(message, plan, signal);
      if (stepsOf(plan).every((step) => steps.has(step))) return receiptOf({ steps });
      // The next attempt finds that part and sends the rest.
      return steps.size > 0 ? "partly" : "missing";
    } catch {
      return "unknown";
    }
  }

  /** An answer that we began to show and never finished. */
  async findPreview(target: Target, signal: AbortSignal): Promise<string | null> {
    if (!isTs(target.replyTo)) return null;
    const find = async () =>
      (await this.#findUnfinished(target, signal)) ?? (await this.#findUnfinishedLater(target, signal));
    return await this.#ifAllowed(find(), null);
  }

  /** What isn't there may still be on its way. */
  async #findUnfinishedLater(target: Target, signal: AbortSignal): Promise<string | null> {
    await sleep(this.#parts.settings.times.settleMs, undefined, { signal });
    return await this.#findUnfinished(target, signal);
  }

  async #findUnfinished(target: Target, signal: AbortSignal): Promise<string | null> {
    const range = { ...placeOf(target), oldest: target.replyTo! };
    for await (const page of pages(this.#parts.api, range, MOST_PAGES, signal)) {
      const found = page.find((post) => this.#isUnfinished(post, target));
      if (found?.ts) return streamId(found.ts);
    }
    return null;
  }

  /** A stream can't carry a mark; there is one in threads alone, and every other post of ours there has a mark. */
  #isUnfinished(post: SlackEvent, { threadId, replyTo }: Target): boolean {
    if (!this.#isOurs(post) || post.files || Number(post.ts) <= Number(replyTo)) return false;
    const { event_type: type, event_payload: payload } = post.metadata ?? {};
    return type === undefined ? threadId !== null : type === PREVIEW_TYPE && payload?.question === replyTo;
  }

  async #plan(message: OutboundMessage): Promise<Plan> {
    const { text, files } = await filesToSend(message, this.#parts.settings.media?.home ?? "");
    const parts = render(text);
    if (parts.length === 0 && files.length === 0) throw new SendError("refused", "There is nothing to send");
    return { parts, files };
  }

  /** One post that is new goes out at once; for everything else Slack is asked what it has. */
  async #resume(message: OutboundMessage, plan: Plan, signal: AbortSignal): Promise<Progress> {
    const known = this.#progress.get(message.nonce);
    const steps = stepsOf(plan);
    const complete = steps.every((step) => known?.steps.has(step));
    const doubtful = message.mayBeRepeat || known?.unsureAtMs !== undefined;
    if (complete || (!doubtful && steps.length === 1)) return known ?? { steps: new Map() };
    const find = doubtful ? this.#findSettled(message, plan, signal) : this.#find(message, plan, signal);
    return { steps: new Map([...(known?.steps ?? []), ...(await this.#ifAllowed(find, new Map()))]) };
  }

  async #ifAllowed<T>(find: Promise<T>, otherwise: T): Promise<T> {
    try {
      return await find;
    } catch (error) {
      const code = slackCode(error);
      // Nothing was posted by this attempt, whatever became of the question.
      if (code !== "missing_scope" && code !== "not_in_channel" && code !== "channel_not_found")
        throw asNeverSent(error);
      this.#parts.settings.log(
        "warn",
        "Slack doesn't let us look whether a message arrived: it may come twice",
      );
      return otherwise;
    }
  }

  /** What isn't there may still be on its way: it counts as missing only when its time is over. */
  async #findSettled(
    message: OutboundMessage,
    plan: Plan,
    signal: AbortSignal,
  ): Promise<Map<number, string>> {
    const steps = await this.#find(message, plan, signal);
    const sinceMs = this.#progress.get(message.nonce)?.unsureAtMs ?? this.#startedAtMs;
    const waitMs = sinceMs + this.#parts.settings.times.settleMs - performance.now();
    if (waitMs <= 0 || stepsOf(plan).every((step) => steps.has(step))) return steps;
    await sleep(waitMs, undefined, { signal });
    return await this.#find(message, plan, signal);
  }

  async #find(message: OutboundMessage, plan: Plan, signal: AbortSignal): Promise<Map<number, string>> {
    const place = placeOf(message.target);
    // An answer is younger than its question.
    const { replyTo } = message.target;
    const range = isTs(replyTo) ? { ...place, oldest: replyTo } : place;
    const steps = new Map<number, string>();
    for await (const page of pages(this.#parts.api, range, MOST_PAGES, signal)) {
      for (const found of page) this.#match(found, message.nonce, plan, steps);
    }
    return steps;
  }

  #match(found: SlackEvent, nonce: string, plan: Plan, steps: Map<number, string>): void {
    if (!isTs(found.ts) || !this.#isOurs(found)) return;
    const { event_type: type, event_payload: payload } = found.metadata ?? {};
    const part = payload?.part;
    if (type === MARKER_TYPE && payload?.nonce === nonce && typeof part === "number" && !steps.has(part))
      steps.set(part, found.ts);
    // Slack lets no mark hang on a file: its name and its size must do.
    if (plan.files.length > 0 && sameFiles(found, plan.files)) steps.set(plan.parts.length, found.ts);
  }

  /** Anybody may write such a mark; only ours count. */
  #isOurs({ user, bot_id: botId }: SlackEvent): boolean {
    const { identity } = this.#parts;
    return user === identity.userId || (identity.botId !== undefined && botId === identity.botId);
  }

  async #doStep(message: OutboundMessage, plan: Plan, step: number, progress: Progress, signal: AbortSignal) {
    try {
      if (step >= plan.parts.length)
        return await upload(this.#parts, placeOf(message.target), plan.files, signal);
      const part = plan.parts[step]!;
      const edited = step === 0 && message.replaces ? await this.#replace(message, part, signal) : undefined;
      return edited ?? (await this.#say(message, part, step, signal));
    } catch (error) {
      const failure = toSendError(error);
      if (failure.outcome === "unknown") progress.unsureAtMs = performance.now();
      throw failure;
    }
  }

  /** Commands may be given in rooms where the bot isn't: then only Slack's own address for the answer helps. */
  async #say(message: OutboundMessage, part: Part, step: number, signal: AbortSignal): Promise<string> {
    try {
      return await this.#post(message, part, step, signal);
    } catch (error) {
      const { responses } = this.#parts;
      const closed = CLOSED_TO_US.has(slackCode(error) ?? "");
      const url = closed ? await responses.urlFor(message.target.replyTo) : undefined;
      if (url === undefined) throw error;
      await responses.respond(url, part.text, signal);
      return "";
    }
  }

  async #post(message: OutboundMessage, { text }: Part, step: number, signal: AbortSignal): Promise<string> {
    const args = { ...placeOf(message.target), text, metadata: markerOf(message.nonce, step) };
    const { ts } = await this.#parts.api.call<{ ts: string }>("chat.postMessage", args, { signal });
    return ts;
  }

  /** The preview becomes the answer. Twice is no harm, so a doubtful outcome is simply tried again. */
  async #replace(message: OutboundMessage, part: Part, signal: AbortSignal): Promise<string | undefined> {
    const { channel } = placeOf(message.target);
    try {
      const ts = await this.#parts.streams.settle(channel, message.replaces!, signal);
      const args = { channel, ts, ...editBody(part), metadata: markerOf(message.nonce, 0) };
      await this.#parts.api.call("chat.update", args, { signal });
      return ts;
    } catch (error) {
      if (NOT_EDITABLE.has(slackCode(error) ?? "")) return undefined;
      throw asNeverSent(error);
    }
  }
}

function stepsOf({ parts, files }: Plan): number[] {
  return Array.from({ length: parts.length + (files.length > 0 ? 1 : 0) }, (_, step) => step);
}

function receiptOf({ steps }: Progress): Receipt {
  const ids = [...steps].sort(([a], [b]) => a - b).map(([, ts]) => ts);
  return { messageIds: ids.filter((ts) => ts !== "") };
}

function sameFiles(found: SlackEvent, files: readonly SendableFile[]): boolean {
  const key = (name: string | undefined, size: number | undefined) => `${name}:${size}`;
  const theirs = new Set((found.files ?? []).map((file) => key(file.name, file.size)));
  return files.every((file) => theirs.has(key(file.name, file.bytes)));
}

function asNeverSent(error: unknown): SendError {
  const failure = toSendError(error);
  if (failure.outcome !== "unknown") return failure;
  return new SendError("never_sent", failure.message, { scope: failure.scope, cause: error });
}
