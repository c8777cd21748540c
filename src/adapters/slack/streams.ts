/** Previews of an unfinished answer: Slack's streaming methods in threads, edits elsewhere. */

import { BoundedMap } from "../../bounded-map.js";
import type { Target } from "../../message.js";
import { previewStart } from "../preview.js";
import type { SlackApi } from "./api.js";
import type { Settings } from "./config.js";
import { slackCode, toSendError } from "./errors.js";
import { parseShownId, streamId } from "./ids.js";
import { ABANDONED, destinationOf, editBody, previewMarkerOf } from "./outgoing.js";
import type { Identity } from "./payloads.js";
import { MAX_MESSAGE, render } from "./render.js";

export interface StreamParts {
  settings: Settings;
  api: SlackApi;
  identity: Identity;
}

const MAX_STREAMS = 1000;
const MAX_PREVIEW = 3900;
/** After Slack rejected streaming, use edits for this long. */
const RETRY_NATIVE_MS = 3_600_000;
const NOT_SUPPORTED = new Set([
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
/** Slack ends streams that get no text for long. */
const ENDED = new Set(["message_not_in_streaming_state", "message_not_found", "message_not_owned_by_app"]);

export class Streams {
  readonly #parts: StreamParts;
  /** The text of each open stream. A stream can only be appended to. */
  readonly #texts = new BoundedMap<string, string>(MAX_STREAMS);
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

  /** Stops the stream, so that its message can be edited. Returns the message's ts. */
  async settle(channel: string, shownId: string, signal: AbortSignal): Promise<string> {
    const { ts, stream } = parseShownId(shownId);
    if (stream) await this.#stop(channel, ts, signal);
    return ts;
  }

  /** Leaves `text` as the final state, or deletes the message if it is empty. */
  async abandon(target: Target, shownId: string, text: string, signal: AbortSignal): Promise<void> {
    const { channel } = destinationOf(target);
    const { api } = this.#parts;
    try {
      if (text === "") {
        const ts = await this.settle(channel, shownId, signal);
        await api.call("chat.delete", { channel, ts }, { signal });
        return;
      }
      const { ts, stream } = parseShownId(shownId);
      const isOpen = stream && parseShownId(await this.#append(target, ts, text, signal)).stream;
      if (isOpen) await this.#stop(channel, ts, signal, ABANDONED);
      else await this.#edit(target, ts, text, signal, ABANDONED);
    } catch (error) {
      throw toSendError(error);
    }
  }

  async #begin(target: Target, text: string, signal: AbortSignal): Promise<string> {
    if (this.#mayStream(target)) {
      try {
        return await this.#start(target, this.#streamText(text), signal);
      } catch (error) {
        if (!NOT_SUPPORTED.has(slackCode(error) ?? "")) throw error;
        this.#nativeAgainAtMs = performance.now() + RETRY_NATIVE_MS;
        this.#parts.settings.log(
          "info",
          `This app can't use Slack's streaming (${slackCode(error)}): using edits instead`,
        );
      }
    }
    return await this.#post(target, text, signal);
  }

  #mayStream({ threadId, chatType, userId }: Target): boolean {
    const { streaming } = this.#parts.settings;
    if (streaming !== "native" || threadId === null || performance.now() < this.#nativeAgainAtMs)
      return false;
    // In channels Slack requires the recipient.
    return chatType === "dm" || userId !== null;
  }

  async #start(target: Target, text: string, signal: AbortSignal): Promise<string> {
    const streamed = text.slice(0, MAX_MESSAGE);
    const { userId, chatType } = target;
    const recipient =
      chatType === "dm" ? {} : { recipient_user_id: userId, recipient_team_id: this.#parts.identity.teamId };
    const args = { ...destinationOf(target), ...recipient, markdown_text: streamed };
    const { ts } = await this.#parts.api.call<{ ts: string }>("chat.startStream", args, { signal });
    this.#texts.set(ts, streamed);
    return streamId(ts);
  }

  /** A text that doesn't continue the stream's turns it into a message that is edited. */
  async #append(target: Target, ts: string, shown: string, signal: AbortSignal): Promise<string> {
    const text = this.#streamText(shown).slice(0, MAX_MESSAGE);
    const streamed = this.#texts.get(ts);
    const { channel } = destinationOf(target);
    if (streamed === undefined || !text.startsWith(streamed)) {
      await this.#stop(channel, ts, signal);
      return await this.#edit(target, ts, shown, signal);
    }
    const more = text.slice(streamed.length);
    if (more === "") return streamId(ts);
    // Forget the text first: after an unknown outcome, appending could repeat it.
    this.#texts.delete(ts);
    try {
      await this.#parts.api.call("chat.appendStream", { channel, ts, markdown_text: more }, { signal });
    } catch (error) {
      if (toSendError(error).outcome === "never_sent") this.#texts.set(ts, streamed);
      if (!ENDED.has(slackCode(error) ?? "")) throw error;
      return await this.#edit(target, ts, shown, signal);
    }
    this.#texts.set(ts, text);
    return streamId(ts);
  }

  async #stop(channel: string, ts: string, signal: AbortSignal, mark?: object): Promise<void> {
    this.#texts.delete(ts);
    const metadata = mark && { metadata: mark };
    try {
      await this.#parts.api.call("chat.stopStream", { channel, ts, ...metadata }, { signal });
    } catch (error) {
      if (!ENDED.has(slackCode(error) ?? "")) throw error;
    }
  }

  async #post(target: Target, text: string, signal: AbortSignal): Promise<string> {
    const args = { ...destinationOf(target), text: preview(text), metadata: previewMarkerOf(target) };
    const { ts } = await this.#parts.api.call<{ ts: string }>("chat.postMessage", args, { signal });
    return ts;
  }

  async #edit(target: Target, ts: string, text: string, signal: AbortSignal, mark?: object): Promise<string> {
    const { channel } = destinationOf(target);
    const metadata = mark && { metadata: mark };
    const args = { channel, ts, ...editBody({ text: preview(text) }), ...metadata };
    await this.#parts.api.call("chat.update", args, { signal });
    return ts;
  }

  /** Without the cursor, and without mentions that would notify people. */
  #streamText(shown: string): string {
    const { streamCursor } = this.#parts.settings;
    const ends = streamCursor !== "" && shown.endsWith(streamCursor);
    const text = ends ? shown.slice(0, -streamCursor.length) : shown;
    return text.replace(/<(?=[@!#])/g, "<\u200b");
  }
}

/** As much as fits into one edit. */
function preview(text: string): string {
  return render(previewStart(text), { limit: MAX_PREVIEW, marker: false })[0]?.text ?? "…";
}
