/** The Slack adapter: events over Socket Mode or signed HTTP, messages through the Web API. */
import { HermesError } from "../../errors.js";
import type { OutboundMessage, Target } from "../../message.js";
import type {
  Adapter,
  AdapterEvents,
  CanAsk,
  CanFindPreview,
  CanLookUp,
  CanReact,
  CanRegisterCommands,
  CanStream,
  CanType,
  Health,
  MenuCommand,
  PartContext,
  ReactionState,
} from "../adapter.js";
import { SendError } from "../adapter.js";
import { HealthTracker } from "../kit/health.js";
import { MAX_CHOICES } from "./buttons.js";
import { MAX_UPLOAD_BYTES, type Settings, type SlackOptions, settingsOf } from "./config.js";
import { type Bot, Uplink } from "./connect.js";
import { isHopeless } from "./errors.js";
import { handleRequest } from "./http.js";
import { PLATFORM } from "./normalise.js";
import { partsOf, type SlackPart } from "./outgoing.js";
import { showReaction } from "./reactions.js";
import { MAX_MESSAGE } from "./render.js";

export type { SlackOptions } from "./config.js";

export interface SlackAdapter
  extends Adapter,
    CanAsk,
    CanStream,
    CanFindPreview,
    CanLookUp,
    CanType,
    CanReact,
    CanRegisterCommands {
  /** Serves the app's Request URL in HTTP mode, for events, slash commands and buttons. */
  handleRequest(request: Request): Promise<Response>;
}

const BAD_SIGNATURE =
  "Requests to the Slack events path have a bad signature: compare platforms.slack.signing_secret with Basic Information → Signing Secret, and check this machine's clock";

export function slackAdapter(options: SlackOptions): SlackAdapter {
  const settings = settingsOf(options);
  const { timing, account } = settings;
  const health = new HealthTracker({
    label: "Slack",
    staleMs: settings.appToken ? 4 * timing.pingMs : 3 * timing.probeMs,
    log: settings.log,
  });
  let hasSeenSignature = false;
  const commandNames = new Set<string>();
  let uplink: Uplink | undefined;

  function bot(): Bot {
    if (!uplink?.bot) throw new SendError("never_sent", "Slack isn't connected yet", { scope: "account" });
    return uplink.bot;
  }

  return {
    platform: PLATFORM,
    account,
    limits: { length: MAX_MESSAGE, unit: "utf16" },
    maxChoices: MAX_CHOICES,
    ...(settings.media ? { files: { maxBytes: MAX_UPLOAD_BYTES } } : {}),

    async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      checkMode(settings);
      uplink = new Uplink({ settings, events, commandNames, health }, signal);
      await uplink.ready;
    },

    async disconnect(): Promise<void> {
      const closing = uplink;
      uplink = undefined;
      await closing?.close();
    },

    health: (): Health => health.read(),
    render: partsOf,
    async sendPart(message: OutboundMessage, part: SlackPart, context: PartContext, signal: AbortSignal) {
      try {
        const ids = await bot().sender.sendPart(message, part, context, signal);
        health.issue("send", undefined);
        return ids;
      } catch (error) {
        // A missing scope shows only when sending: the socket stays healthy.
        if (error instanceof SendError && isHopeless(error.cause)) health.issue("send", error.message);
        throw error;
      }
    },
    lookUp: async (message: OutboundMessage, part: SlackPart, context: PartContext, signal: AbortSignal) =>
      (await uplink?.bot?.sender.lookUp(message, part, context, signal)) ?? "unknown",
    show: async (
      target: Target,
      messageId: string | null,
      text: string,
      signal: AbortSignal,
      posting?: () => Promise<void>,
    ) => await bot().streams.show(target, messageId, text, signal, posting),
    abandon: async (target: Target, messageId: string, text: string, signal: AbortSignal) =>
      await bot().streams.abandon(target, messageId, text, signal),
    settleQuestion: async (
      target: Target,
      messageIds: readonly string[],
      text: string,
      signal: AbortSignal,
    ) => await bot().sender.settleQuestion(target, messageIds, text, signal),
    findPreview: async (target: Target, signal: AbortSignal) =>
      await bot().sender.findPreview(target, signal),
    react: async (target: Target, state: ReactionState | null, signal: AbortSignal) =>
      await showReaction(bot().api, target, state, signal),
    type: (target: Target): void => uplink?.bot?.typing.show(target),

    /** The app's manifest defines Slack's command menu; these names make `!name` work in messages. */
    async registerCommands(commands: readonly MenuCommand[]): Promise<void> {
      commandNames.clear();
      for (const { name } of commands) commandNames.add(name.replace(/^\//, "").toLowerCase());
    },

    async handleRequest(request: Request): Promise<Response> {
      if (!settings.signingSecret) return new Response("no signing secret", { status: 404 });
      return await handleRequest(request, {
        signingSecret: settings.signingSecret,
        take: uplink?.take,
        onSigned: () => {
          hasSeenSignature = true;
          health.heard();
          health.issue("signature", undefined);
        },
        // The secret is right if Slack has used it: then these come from others.
        onBadSignature: () => {
          if (!hasSeenSignature) health.issue("signature", BAD_SIGNATURE);
        },
      });
    },
  };
}

function checkMode({ appToken, signingSecret, token }: Settings): void {
  if (token === "")
    throw new HermesError("invalid", "Slack needs a bot token", { hint: "Set SLACK_BOT_TOKEN" });
  if (appToken || signingSecret) return;
  throw new HermesError("invalid", "Slack needs an app token (Socket Mode) or a signing secret (HTTP)", {
    hint: "Set SLACK_APP_TOKEN or SLACK_SIGNING_SECRET",
  });
}
