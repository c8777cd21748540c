import { z } from "zod";
import { type BotOf, definePlatform, type LoadedPlatform, type PlatformDeps } from "../platform.js";
import { botSettings, httpUrl, listOf, orNull, sample, text } from "../settings.js";

const NAME = "homeassistant";

const settings = botSettings({
  credentials: ["token"],
  account: { token: text, api_url: httpUrl },
  keys: {
    token: orNull(text).describe("A long-lived access token; better in .env, as HASS_TOKEN"),
    api_url: httpUrl
      .default("http://homeassistant.local:8123")
      .describe("The address of Home Assistant; in .env as HASS_URL"),
    watch_entities: sample(
      listOf(text).describe("Entities whose changes are reported to the agent"),
      "[binary_sensor.front_door]",
    ),
    watch_domains: sample(
      listOf(text).describe("Domains whose entities are all reported"),
      "[alarm_control_panel]",
    ),
    ignore_entities: listOf(text).describe("Entities that are never reported"),
    watch_all: z
      .boolean()
      .default(false)
      .describe("Report every entity if none is listed above; each change is a turn of the agent"),
    watch_unavailable: z
      .boolean()
      .default(false)
      .describe("Also report that an entity becomes unavailable or unknown, and that it is back"),
    cooldown_seconds: z
      .number()
      .min(0)
      .max(86_400)
      .default(30)
      .describe("After a report about an entity, its further changes are summed up for this long"),
    one_notification: z
      .boolean()
      .default(false)
      .describe("Each answer replaces the one before it in Home Assistant"),
  },
});

type Bot = BotOf<typeof settings>;

export const homeassistant = definePlatform({
  name: NAME,
  label: "Home Assistant",
  summary: "Home Assistant: changes of entities in, notifications out; HASS_TOKEN and HASS_URL",
  settings,
  env: { HASS_TOKEN: "token", HASS_URL: "api_url", HASS_HOME_CHANNEL: "home_channel" },
  ids: { chat: /^(?:ha_events|notify\.[a-z0-9_]{1,200})$/, example: "notify.mobile_app_phone" },
  unsolicited: true,
  capabilities: [],
  setup: {
    steps: [
      "Home Assistant → your profile → Security → Long-lived access tokens: create one and copy it",
      "Set platforms.homeassistant.watch_entities to the entities the agent should know about",
    ],
    secrets: [
      {
        key: "token",
        name: "Access token",
        variable: "HASS_TOKEN",
        shape: /^[\w-]+\.[\w-]+\.[\w-]+$/,
        example: "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiIwIn0.c2lnbmF0dXJl",
        help: "a long-lived access token of home assistant",
      },
      {
        key: "api_url",
        name: "Address",
        variable: "HASS_URL",
        shape: /^https?:\/\/\S+$/,
        example: "http://homeassistant.local:8123",
        help: "the address of home assistant",
      },
    ],
  },
  docs: {
    page: "docs/platforms/homeassistant.md",
    secrets: "`HASS_TOKEN`, `HASS_URL`, and entities to watch",
    receives: "a WebSocket",
  },
  promises: {
    inbound: {
      loses: "some",
      how: "are found by comparing states, so changes that were reverted in the meantime are missed",
    },
    outbound: { repeats: "never", how: "is sent again with the same `notification_id`, which replaces it" },
  },
  apiAddress: ({ api_url }) => api_url,
  probe: async (bot, options) => {
    const { probeHomeAssistant } = await import("./probe.js");
    return probeHomeAssistant({ token: bot.token!, apiUrl: bot.api_url, watch: watchOf(bot) }, options);
  },
  load,
});

async function load(bot: Bot, deps: PlatformDeps): Promise<LoadedPlatform> {
  const { homeAssistantAdapter } = await import("./index.js");
  const adapter = homeAssistantAdapter({
    token: bot.token!,
    apiUrl: bot.api_url,
    account: bot.name,
    watch: watchOf(bot),
    watchUnavailable: bot.watch_unavailable,
    cooldownSeconds: bot.cooldown_seconds,
    oneNotification: bot.one_notification,
    log: deps.log,
  });
  return { adapter };
}

function watchOf(bot: Bot) {
  return {
    ...{ domains: bot.watch_domains, entities: bot.watch_entities },
    ...{ ignored: bot.ignore_entities, all: bot.watch_all },
  };
}
