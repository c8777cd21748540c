/** Slack: Socket Mode or signed HTTP in, the Web API out. This file only connects the parts. */
import { HermesError } from "../../errors.js";
import type { OutboundMessage, Receipt, Target } from "../../message.js";
import type {
  Adapter,
  AdapterEvents,
  CanFindPreview,
  CanLookUp,
  CanRegisterCommands,
  CanStream,
  CanType,
  Health,
  MenuCommand,
} from "../adapter.js";
import { SendError } from "../adapter.js";
import { MAX_UPLOAD_BYTES, type SlackOptions, type SlackSettings, withDefaults } from "./config.js";
import { Connection, type Desk } from "./connection.js";
import { isHopeless } from "./faults.js";
import { HealthWatch } from "./health.js";
import { handleRequest } from "./http.js";
import { PLATFORM } from "./normalise.js";
import { LONGEST_MESSAGE } from "./render.js";

export type { SlackOptions } from "./config.js";

export interface SlackAdapter
  extends Adapter,
    CanStream,
    CanFindPreview,
    CanLookUp,
    CanType,
    CanRegisterCommands {
  /** For the app's Request URL in HTTP mode: events and slash commands alike. */
  handleRequest(request: Request): Promise<Response>;
}

const FORGED =
  "Requests to Slack's address are signed with another secret than ours: compare platforms.slack.signing_secret with Basic Information → Signing Secret, and look at this machine's clock";

export function slackAdapter(options: SlackOptions): SlackAdapter {
  const settings = withDefaults(options);
  const { times, account } = settings;
  const health = new HealthWatch(settings.appToken ? 4 * times.pingMs : 3 * times.probeMs);
  const commandNames = new Set<string>();
  let connection: Connection | undefined;

  function desk(): Desk {
    const found = connection?.desk;
    if (!found) throw new SendError("never_sent", "Slack isn't connected yet", { scope: "account" });
    return found;
  }

  return {
    platform: PLATFORM,
    account,
    limits: { length: LONGEST_MESSAGE, unit: "utf16" },
    ...(settings.media ? { files: { maxBytes: MAX_UPLOAD_BYTES } } : {}),

    async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      checkMode(settings);
      connection = new Connection({ settings, events, commandNames, health }, signal);
      await connection.ready;
    },

    async disconnect(): Promise<void> {
      const closing = connection;
      connection = undefined;
      await closing?.close();
    },

    health: (): Health => health.now(),
    async send(message: OutboundMessage, signal: AbortSignal): Promise<Receipt> {
      try {
        const receipt = await desk().sender.send(message, signal);
        health.mute(undefined);
        return receipt;
      } catch (error) {
        // A lacking scope shows only here; the socket is well.
        if (error instanceof SendError && isHopeless(error.cause) && health.mute(error.message))
          settings.log("error", error.message);
        throw error;
      }
    },
    lookUp: async (message: OutboundMessage, signal: AbortSignal) =>
      (await connection?.desk?.sender.lookUp(message, signal)) ?? "unknown",
    show: async (
      target: Target,
      messageId: string | null,
      text: string,
      signal: AbortSignal,
      posting?: () => Promise<void>,
    ) => await desk().streams.show(target, messageId, text, signal, posting),
    breakOff: async (target: Target, messageId: string, text: string, signal: AbortSignal) =>
      await desk().streams.breakOff(target, messageId, text, signal),
    findPreview: async (target: Target, signal: AbortSignal) =>
      await desk().sender.findPreview(target, signal),
    type: (target: Target): void => connection?.desk?.typing.show(target),

    /** Slack's menu of commands belongs to the app's manifest; here they make `!name` work in messages. */
    async registerCommands(commands: readonly MenuCommand[]): Promise<void> {
      commandNames.clear();
      for (const { name } of commands) commandNames.add(name.replace(/^\//, "").toLowerCase());
    },

    async handleRequest(request: Request): Promise<Response> {
      if (!settings.signingSecret) return new Response("no signing secret", { status: 404 });
      return await handleRequest(request, {
        signingSecret: settings.signingSecret,
        accept: (delivered) => connection?.accept(delivered),
        onProof: () => health.signed(),
        onForged: () => {
          if (health.forged(FORGED)) settings.log("error", FORGED);
        },
      });
    },
  };
}

function checkMode({ appToken, signingSecret, token }: SlackSettings): void {
  if (token === "")
    throw new HermesError("invalid", "Slack needs a bot token", { hint: "Set SLACK_BOT_TOKEN" });
  if (appToken || signingSecret) return;
  throw new HermesError("invalid", "Slack needs an app token (Socket Mode) or a signing secret (HTTP)", {
    hint: "Set SLACK_APP_TOKEN or SLACK_SIGNING_SECRET",
  });
}
