/** One part of an outbound message → a post with a mark in its props, by which it is found later. */
import { readFile } from "node:fs/promises";
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { OutboundFile, OutboundMessage, Target } from "../../message.js";
import type { LookedUp, PartContext } from "../adapter.js";
import { errorIdOf, isRefusal, type MattermostApi, type Me, sendErrorOf, waitOf } from "./api.js";
import { attachmentsOf } from "./buttons.js";
import { actionsPath } from "./callbacks.js";
import type { Settings } from "./config.js";
import { isId, markOf, pendingPostId } from "./ids.js";
import { type Post, readPost } from "./normalise.js";
import type { MattermostPart } from "./outgoing.js";
import { renderEnd, renderParts, renderPreview } from "./render.js";
import type { Threads } from "./threads.js";

export interface SenderParts {
  api: MattermostApi;
  settings: Settings;
  threads: Threads;
  /** Undefined until the server has said who we are. */
  me(): Me | undefined;
}

const MARK = "hermes_nonce";
/** The question that an unfinished answer is for. */
const PREVIEW = "hermes_preview";
/** A model's text notifies no one. */
const QUIET = { disable_mentions: true };
/** For a question that is decided without a word. */
const SETTLED = "✓";

const PAGE = 200;
const MAX_PAGES = 10;
const TYPING_EVERY_MS = 3000;
const TYPING_TIMEOUT_MS = 4000;
const MAX_REMEMBERED = 1000;

interface NewPost {
  message: string;
  props: object;
  file_ids?: string[];
  pending_post_id?: string;
}

export class Sender {
  readonly #parts: SenderParts;
  readonly #typedAtMs = new BoundedMap<string, number>(MAX_REMEMBERED);
  /** The server rate limits us until then; an earlier call would extend the wait. */
  #waitUntilMs = 0;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async sendPart(
    message: OutboundMessage,
    part: MattermostPart,
    { index, replaces }: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    const me = this.#ready(signal);
    const { target, nonce } = message;
    const buttons = this.#buttons(part, target);
    const mark = { ...QUIET, [MARK]: markOf(nonce, index), ...buttons };
    if ("text" in part && isId(replaces) && (await this.#replace(replaces, part.text, mark, signal)))
      return [replaces];
    const content = "text" in part ? { message: part.text } : await this.#upload(target, part.files, signal);
    const post = { ...content, props: mark, pending_post_id: pendingPostId(me.id, nonce, index) };
    return [await this.#create(target, post, signal)];
  }

  /** In the props; the post is settled when they are gone. */
  #buttons({ buttons = [] }: MattermostPart, target: Target): object {
    const { callbackUrl, callbackPath, token: key } = this.#parts.settings;
    if (callbackUrl === null || buttons.length === 0) return {};
    const url = callbackUrl + actionsPath(callbackPath);
    return { attachments: attachmentsOf(buttons, target, { url, key }) };
  }

  async settleQuestion(messageIds: readonly string[], text: string, signal: AbortSignal): Promise<void> {
    this.#ready(signal);
    const id = messageIds.at(-1);
    if (!isId(id)) return;
    const message = renderEnd(text) || SETTLED;
    // One that is gone needs no edit.
    await this.#replace(id, message, QUIET, signal);
  }

  // ── posts ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  async #create(target: Target, post: NewPost, signal: AbortSignal): Promise<string> {
    const channel = channelOf(target);
    const root = isId(target.threadId) ? target.threadId : "";
    const send = async (rootId: string) => {
      const body = { channel_id: channel, ...post, ...(rootId === "" ? {} : { root_id: rootId }) };
      const { id } = await this.#parts.api.call<{ id?: unknown }>("POST", "/posts", { body, signal });
      if (typeof id !== "string") throw new SendError("unknown", "Mattermost's answer has no id of the post");
      return id;
    };
    const id = await this.#tried(async () => {
      try {
        return await send(root);
      } catch (error) {
        if (root === "" || !errorIdOf(error).includes("root_id")) throw error;
        return send(await this.#rootOf(root, signal));
      }
    });
    this.#parts.threads.joined(root);
    return id;
  }

  /** A reply's own thread; empty if the thread is gone: then the answer goes to the channel. */
  async #rootOf(postId: string, signal: AbortSignal): Promise<string> {
    try {
      return readPost(await this.#parts.api.call("GET", `/posts/${postId}`, { signal }))?.rootId ?? "";
    } catch (error) {
      if (isRefusal(error)) return "";
      // Nothing was posted yet, so the answer can be sent again later.
      throw sendErrorOf(error, { repeatable: true });
    }
  }

  /** Turns the preview into the answer. False if it is gone. Repeating the edit is harmless. */
  async #replace(id: string, text: string, props: object, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#patch(id, { message: text, props }, signal);
      return true;
    } catch (error) {
      if (error instanceof SendError && error.outcome === "refused") return false;
      throw error;
    }
  }

  #patch(id: string, body: object, signal: AbortSignal): Promise<unknown> {
    const edit = () => this.#parts.api.call("PUT", `/posts/${id}/patch`, { body, signal });
    return this.#tried(edit, true);
  }

  /** Nothing is visible before the post, so a failure here means never sent. */
  async #upload(target: Target, wanted: readonly OutboundFile[], signal: AbortSignal) {
    const { api, settings } = this.#parts;
    const found = await filesToSend({ text: "", files: wanted }, settings.media?.home ?? "");
    const message = renderParts(found.text)[0] ?? "";
    if (found.files.length === 0) return { message };
    const form = await formOf(channelOf(target), found.files);
    const call = { form, signal, timeoutMs: settings.timing.uploadMs };
    const { file_infos: infos } = await this.#tried(
      () => api.call<{ file_infos?: { id?: unknown }[] }>("POST", "/files", call),
      true,
    );
    const ids = (infos ?? []).flatMap(({ id }) => (isId(id) ? [id] : []));
    if (ids.length < found.files.length) throw new SendError("refused", "Mattermost didn't take all files");
    return { message, file_ids: ids };
  }

  // ── previews, typing ───────────────────────────────────────────────────────────────────────────────────────────────

  async show(
    target: Target,
    messageId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string | null> {
    this.#ready(signal);
    const message = renderPreview(text);
    if (message === "") return messageId;
    if (messageId !== null) {
      await this.#patch(messageId, { message }, signal);
      return messageId;
    }
    await posting?.();
    return this.#create(target, { message, props: { ...QUIET, [PREVIEW]: target.replyTo ?? "" } }, signal);
  }

  async abandon(messageId: string, text: string, signal: AbortSignal): Promise<void> {
    this.#ready(signal);
    if (!isId(messageId)) return;
    const message = renderPreview(text);
    if (message !== "") await this.#patch(messageId, { message, props: QUIET }, signal);
    else await this.#tried(() => this.#parts.api.call("DELETE", `/posts/${messageId}`, { signal }), true);
  }

  async findPreview(target: Target, signal: AbortSignal): Promise<string | null> {
    const { replyTo } = target;
    if (replyTo === null) return null;
    const isPreview = ({ props }: Post) => props[PREVIEW] === replyTo;
    const found = await this.#find(target, replyTo, isPreview, signal);
    return typeof found === "string" ? null : (found[0] ?? null);
  }

  async lookUp(
    { target, nonce }: OutboundMessage,
    { index, sent }: PartContext,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    const mark = markOf(nonce, index);
    return this.#find(target, sent.at(-1) ?? target.replyTo, ({ props }) => props[MARK] === mark, signal);
  }

  /** Among our posts, newest first, back to the question or the part before it. */
  async #find(
    target: Target,
    anchor: string | null,
    isIt: (post: Post) => boolean,
    signal: AbortSignal,
  ): Promise<LookedUp> {
    const me = this.#parts.me();
    if (!me || !isId(target.chatId)) return "unknown";
    try {
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = { page, per_page: PAGE };
        const found = await this.#parts.api.posts(target.chatId, query, signal);
        const posts = found.flatMap((value) => readPost(value) ?? []);
        const hit = posts.find((post) => post.userId === me.id && post.deleteAt === 0 && isIt(post));
        if (hit) return [hit.id];
        if (found.length < PAGE || posts.some(({ id }) => id === anchor)) return "missing";
      }
      return "unknown";
    } catch (error) {
      if (isRefusal(error)) return "unknown";
      throw sendErrorOf(error, { repeatable: true });
    }
  }

  /** Failures are harmless. */
  type({ chatId, threadId }: Target): void {
    const now = performance.now();
    if (!isId(chatId) || now < this.#waitUntilMs) return;
    const key = `${chatId}:${threadId ?? ""}`;
    if (now - (this.#typedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < TYPING_EVERY_MS) return;
    this.#typedAtMs.set(key, now);
    const body = { channel_id: chatId, ...(isId(threadId) ? { parent_id: threadId } : {}) };
    const call = { body, timeoutMs: TYPING_TIMEOUT_MS };
    this.#parts.api.call("POST", "/users/me/typing", call).catch((error: unknown) => this.#remember(error));
  }

  // ── limits ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Throws a SendError if nothing can be sent now. */
  #ready(signal: AbortSignal): Me {
    if (signal.aborted) throw new SendError("never_sent", "Timed out before it could be sent");
    const me = this.#parts.me();
    if (!me) throw new SendError("never_sent", "Not connected to Mattermost", { scope: "account" });
    const waitMs = this.#waitUntilMs - performance.now();
    if (waitMs > 0) {
      const options = { retryAfterMs: Math.ceil(waitMs), scope: "account" } as const;
      throw new SendError("never_sent", "Mattermost asks to wait", options);
    }
    return me;
  }

  async #tried<T>(call: () => Promise<T>, repeatable = false): Promise<T> {
    try {
      return await call();
    } catch (error) {
      this.#remember(error);
      throw sendErrorOf(error, { repeatable });
    }
  }

  #remember(error: unknown): void {
    const waitMs = waitOf(error);
    if (waitMs !== undefined) this.#waitUntilMs = performance.now() + waitMs;
  }
}

function channelOf({ chatId }: Target): string {
  if (!isId(chatId)) throw new SendError("refused", "Not the id of a Mattermost channel");
  return chatId;
}

async function formOf(channelId: string, files: readonly SendableFile[]): Promise<FormData> {
  const form = new FormData();
  form.set("channel_id", channelId);
  for (const { file, name, mimeType } of files) {
    const content = new Blob([new Uint8Array(await readFile(file))], { type: mimeType });
    form.append("files", content, name);
  }
  return form;
}
