/** An unfinished answer: Slack's streaming methods in threads, edits of a message elsewhere. */
import type { Target } from "../../message.js";
import { previewStart } from "../preview.js";
import type { SlackApi } from "./api.js";
import { BoundedMap } from "./bounded-map.js";
import type { SlackSettings } from "./config.js";
import { slackCode, toSendError } from "./faults.js";
import { parseShownId, streamId } from "./ids.js";
import type { Identity } from "./native.js";
import { BROKEN_OFF, editBody, placeOf, previewMarkerOf } from "./outgoing.js";
import { LONGEST_MESSAGE, render } from "./render.js";

export interface StreamParts {
  settings: SlackSettings;
  api: SlackApi;
  identity: Identity;
}

const MOST_STREAMS = 1000;
const LONGEST_PREVIEW = 3900;
/** Where this app may not stream, edits do; after a while the question is asked again. */
const ASK_AGAIN_MS = 3_600_000;
const NOT_HERE = new Set([
  "unknown_method",
  "missing_scope",
  "not_allowed_token_type",
  "method_not_supported_for_channel_type",
  "channel_type_not_supported",
  "feature_not_enabled",
  "missing_recipient_team_id",
  "missing_recipient_user_id",
  "invalid_arguments",
]);
/** The stream has ended without us: Slack closes one that is silent for long. */
const ENDED = new Set(["message_not_in_streaming_state", "message_not_found", "message_not_owned_by_app"]);

export class Streams {
  readonly #parts: StreamParts;
  /** What each open stream has said: it can only be added to. */
  readonly #said = new BoundedMap<string, string>(MOST_STREAMS);
  #nativeAgainAtMs = 0;

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  async show(
    target: Target,
    shownId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string> {
    try {
      if (shownId === null) {
        await posting?.();
        return await this.#begin(target, text, signal);
      }
      const { ts, stream } = parseShownId(shownId);
      return stream
        ? await this.#append(target, ts, text, signal)
        : await this.#edit(target, ts, text, signal);
    } catch (error) {
      throw toSendError(error);
    }
  }

  /** Closes a stream, so that its message can be edited. Gives the message's own id. */
  async settle(channel: string, shownId: string, signal: AbortSignal): Promise<string> {
    const { ts, stream } = parseShownId(shownId);
    if (stream) await this.#stop(channel, ts, signal);
    return ts;
  }

  /** Its last words. Without any it goes. */
  async breakOff(target: Target, shownId: string, text: string, signal: AbortSignal): Promise<void> {
    const { channel } = placeOf(target);
    const { api } = this.#parts;
    try {
      if (text === "") {
        const ts = await this.settle(channel, shownId, signal);
        await api.call("chat.delete", { channel, ts }, { signal });
        return;
      }
      const { ts, stream } = parseShownId(shownId);
      const isOpen = stream && parseShownId(await this.#append(target, ts, text, signal)).stream;
      if (isOpen) await this.#stop(channel, ts, signal, BROKEN_OFF);
      else await this.#edit(target, ts, text, signal, BROKEN_OFF);
    } catch (error) {
      throw toSendError(error);
    }
  }

  async #begin(target: Target, text: string, signal: AbortSignal): Promise<string> {
    if (this.#mayStream(target)) {
      try {
        return await this.#start(target, this.#streamed(text), signal);
      } catch (error) {
        if (!NOT_HERE.has(slackCode(error) ?? "")) throw error;
        this.#nativeAgainAtMs = performance.now() + ASK_AGAIN_MS;
        this.#parts.settings.log(
          "info",
          `Slack's streaming isn't open to this app (${slackCode(error)}): edits instead`,
        );
      }
    }
    return await this.#post(target, text, signal);
  }

  #mayStream({ threadId, chatType, userId }: Target): boolean {
    const { streaming } = this.#parts.settings;
    if (streaming !== "native" || threadId === null || performance.now() < this.#nativeAgainAtMs)
      return false;
    // In rooms Slack wants to know for whom.
    return chatType === "dm" || userId !== null;
  }

  async #start(target: Target, text: string, signal: AbortSignal): Promise<string> {
    const said = text.slice(0, LONGEST_MESSAGE);
    const { userId, chatType } = target;
    const recipient =
      chatType === "dm" ? {} : { recipient_user_id: userId, recipient_team_id: this.#parts.identity.teamId };
    const args = { ...placeOf(target), ...recipient, markdown_text: said };
    const { ts } = await this.#parts.api.call<{ ts: string }>("chat.startStream", args, { signal });
    this.#said.set(ts, said);
    return streamId(ts);
  }

  /** A text that doesn't go on from what was said can't be streamed: the message is edited from here on. */
  async #append(target: Target, ts: string, shown: string, signal: AbortSignal): Promise<string> {
    const text = this.#streamed(shown).slice(0, LONGEST_MESSAGE);
    const said = this.#said.get(ts);
    const { channel } = placeOf(target);
    if (said === undefined || !text.startsWith(said)) {
      await this.#stop(channel, ts, signal);
      return await this.#edit(target, ts, shown, signal);
    }
    const more = text.slice(said.length);
    if (more === "") return streamId(ts);
    // Said before it is known: after a doubtful outcome nothing may be added twice.
    this.#said.delete(ts);
    try {
      await this.#parts.api.call("chat.appendStream", { channel, ts, markdown_text: more }, { signal });
    } catch (error) {
      if (toSendError(error).outcome === "never_sent") this.#said.set(ts, said);
      if (!ENDED.has(slackCode(error) ?? "")) throw error;
      return await this.#edit(target, ts, shown, signal);
    }
    this.#said.set(ts, text);
    return streamId(ts);
  }

  async #stop(channel: string, ts: string, signal: AbortSignal, mark?: object): Promise<void> {
    this.#said.delete(ts);
    const metadata = mark && { metadata: mark };
    try {
      await this.#parts.api.call("chat.stopStream", { channel, ts, ...metadata }, { signal });
    } catch (error) {
      if (!ENDED.has(slackCode(error) ?? "")) throw error;
    }
  }

  async #post(target: Target, text: string, signal: AbortSignal): Promise<string> {
    const args = { ...placeOf(target), text: preview(text).text, metadata: previewMarkerOf(target) };
    const { ts } = await this.#parts.api.call<{ ts: string }>("chat.postMessage", args, { signal });
    return ts;
  }

  async #edit(target: Target, ts: string, text: string, signal: AbortSignal, mark?: object): Promise<string> {
    const { channel } = placeOf(target);
    const metadata = mark && { metadata: mark };
    const args = { channel, ts, ...editBody(preview(text)), ...metadata };
    await this.#parts.api.call("chat.update", args, { signal });
    return ts;
  }

  /** Without the cursor, and pinging nobody whom a model happens to name. */
  #streamed(shown: string): string {
    const { streamCursor } = this.#parts.settings;
    const ends = streamCursor !== "" && shown.endsWith(streamCursor);
    const text = ends ? shown.slice(0, -streamCursor.length) : shown;
    return text.replace(/<(?=[@!#])/g, "<\u200b");
  }
}

/** As much as one edit takes: the rest comes with the answer. */
function preview(text: string) {
  return (
    render(previewStart(text), { limit: LONGEST_PREVIEW, marker: false })[0] ?? {
      text: "…",
      pieces: () => ["…"],
    }
  );
}
