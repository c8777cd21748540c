/** Telegram: updates polled or called in, answers out in HTML, previews as drafts or edits. */
import type { Update } from "grammy/types";
import { SendError } from "../../errors.js";
import type { OutboundMessage, Receipt, Target } from "../../message.js";
import type {
  Adapter,
  AdapterEvents,
  CanRegisterCommands,
  CanStream,
  CanType,
  ChatPace,
  Health,
  MenuCommand,
} from "../adapter.js";
import { asSignal, loadApi, type TelegramApi } from "./api.js";
import { MAX_UPLOAD_BYTES, settingsOf, type TelegramOptions } from "./config.js";
import { Connection } from "./connection.js";
import { retryAfterMs, sendErrorOf } from "./faults.js";
import { Floods } from "./floods.js";
import { HealthBook } from "./health.js";
import { Intake } from "./intake.js";
import { menuOf } from "./menu.js";
import { PLATFORM, type Self } from "./normalise.js";
import { Places } from "./places.js";
import { LIMIT } from "./render.js";
import { Sender } from "./sender.js";
import { answerWebhook } from "./webhook.js";

export type { TelegramOptions } from "./config.js";

export interface TelegramAdapter extends Adapter, CanStream, CanType, CanRegisterCommands {
  /** Where the HTTP server should mount `handleWebhook`; null: we poll. */
  readonly webhookPath: string | null;
  handleWebhook(request: Request): Promise<Response>;
}

/** How long a disconnect waits for what is being taken in. */
const FAREWELL_MS = 2000;
/** The sign lasts five seconds, and the next one is due after four. */
const TYPING_TIMEOUT_MS = 4000;

interface Link {
  api: TelegramApi;
  sender: Sender;
  places: Places;
  intake: Intake;
  stop: AbortSignal;
  running: Promise<void>;
}

export function telegramAdapter(options: TelegramOptions): TelegramAdapter {
  const settings = settingsOf(options);
  const { timing, log, groupMessagesPerMinute } = settings;
  const floods = new Floods();
  const signFloods = new Floods();
  const health = new HealthBook(log, 2 * timing.pollSeconds + timing.callMs / 1000);
  /** Before Telegram has told our name, mentions of it can't be seen. */
  let self: Self | undefined;
  let link: Link | undefined;
  /** From a connect, finished or not, to its end. */
  let life: AbortController | undefined;
  /** A server that doesn't know drafts won't learn them while we run. */
  let hasDrafts = true;

  function linked(): Link {
    if (!link) throw new SendError("never_sent", "Telegram is not connected");
    return link;
  }

  /** Messages come in no more; answers that are ready in the last moments still go out. */
  async function disconnect(): Promise<void> {
    health.closed();
    life?.abort();
    await Promise.race([link?.running, farewell()]);
  }

  return {
    platform: PLATFORM,
    account: settings.account,
    limits: { length: LIMIT, unit: "utf16" },
    // Telegram's clients cut a long text at 4096 and send the pieces one after the other; albums come file by file.
    burst: { afterLongMs: 1000, longChars: 4000, afterAlbumMs: 1000 },
    // Of all topics together.
    pace: ({ chatType }: Target): ChatPace =>
      chatType === "dm" || groupMessagesPerMinute === 0 ? {} : { perMinute: groupMessagesPerMinute },
    ...(settings.media ? { files: { maxBytes: MAX_UPLOAD_BYTES } } : {}),
    webhookPath: settings.webhook?.path ?? null,

    async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      const begun = new AbortController();
      const ended = disconnect();
      life = begun;
      const stop = begun.signal;
      signal.addEventListener("abort", () => void disconnect(), { once: true, signal: stop });
      await ended;
      const api = await loadApi(settings);
      const places = new Places({
        floods,
        signFloods,
        chatMoved: (from, to) => events.chatMoved(from, to),
        log: (message, fields) => log("warn", message, fields),
      });
      const moved = (from: string, to: string) => places.moved(from, to);
      const intake = new Intake({ api, settings, events, self: () => self!, moved, signal: stop });
      const connection = new Connection({
        api,
        settings,
        health,
        greeted: (me) => {
          self = me;
        },
        prepare: (update) => intake.prepare(update),
      });
      const greeted = await connection.tryHello(stop).catch((error: unknown) => {
        begun.abort();
        throw error;
      });
      if (stop.aborted) return;
      const running = connection.run(greeted, stop);
      link = { api, sender: new Sender(api, settings, places), places, intake, stop, running };
    },

    disconnect,
    health: (): Health => health.read(),

    async send(message: OutboundMessage, signal: AbortSignal): Promise<Receipt> {
      return linked().sender.send(message, signal);
    },

    async show(
      target: Target,
      messageId: string | null,
      text: string,
      signal: AbortSignal,
      posting?: () => Promise<void>,
    ) {
      const { sender } = linked();
      if (target.chatType !== "dm" || messageId !== null || !hasDrafts)
        return sender.show(target, messageId, text, signal, posting);
      try {
        await sender.showDraft(target, text, signal);
        return null;
      } catch (error) {
        if (!(error instanceof SendError) || !/method not found/i.test(error.message)) throw error;
        hasDrafts = false;
        return sender.show(target, null, text, signal, posting);
      }
    },

    breakOff: async (target: Target, messageId: string, text: string, signal: AbortSignal) =>
      linked().sender.breakOff(target, messageId, text, signal),

    type(target: Target): void {
      const id = link?.places.chatIdOf(target);
      if (!link || id === undefined || !link.places.isOpenForSigns(id)) return;
      const { api, places } = link;
      const { chatId, place } = places.spotOf(target, "typing");
      // A signal of its own: the connection's would collect a listener for every chat that has a turn.
      const signal = asSignal(AbortSignal.timeout(TYPING_TIMEOUT_MS));
      // A missing sign does no harm; a wait that Telegram asks for keeps back further signs alone.
      api.call.sendChatAction(chatId, "typing", place, signal).catch((error: unknown) => {
        const waitMs = retryAfterMs(error);
        if (waitMs !== undefined) signFloods.note(String(chatId), waitMs);
      });
    },

    async registerCommands(commands: readonly MenuCommand[], signal: AbortSignal): Promise<void> {
      try {
        await linked().api.call.setMyCommands(menuOf(commands), {}, asSignal(signal));
      } catch (error) {
        throw sendErrorOf(error, { repeatable: true, scope: "account" });
      }
    },

    async handleWebhook(request: Request): Promise<Response> {
      const { webhook } = settings;
      if (!webhook) return new Response("This bot polls", { status: 404 });
      const current = self && link?.stop.aborted === false ? link : undefined;
      const take = current && ((update: Update) => current.intake.take(update));
      const answer = await answerWebhook(request, { secret: webhook.secret, take });
      if (answer.ok && current?.stop.aborted === false) health.proved();
      return answer;
    },
  };
}

function farewell(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, FAREWELL_MS).unref();
  });
}
