/** The plugin: describes Pigeon to the gateway. */
import { definePlatform, found, HermesError, type PluginContext } from "hermes-gateway/plugin";
import { PigeonAdapter } from "./adapter.js";
import { isTokenRefused, PigeonApi, reasonOf, TOKEN_REFUSED } from "./api.js";
import { PLATFORM } from "./normalise.js";

const CALL_MS = 10_000;

const pigeon = definePlatform({
  name: PLATFORM,
  label: "Pigeon",
  ids: { chat: /^[a-z][a-z0-9-]*$/, user: "the name in their profile" },
  capabilities: ["typing"],
  settings: checkSettings,
  setup: {
    steps: ["Open Pigeon → Settings → Bots → New bot", "Copy its token"],
    secrets: [
      {
        key: "token",
        name: "Bot token",
        variable: "PIGEON_BOT_TOKEN",
        shape: /^[^.\s]+\.\S+$/,
        example: "coo.feather",
        help: "the bot's token on Pigeon",
      },
    ],
  },
  apiAddress: ({ api_url }) => api_url,
  load: ({ token, api_url: url, poll_seconds: pollSeconds }, { log }) => {
    if (url === null) throw new HermesError("invalid", "platforms.pigeon.api_url is missing");
    return { adapter: new PigeonAdapter({ token: token!, url, log, timing: { pollSeconds } }) };
  },
  probe: async ({ token, api_url: url }, { signal }) => {
    if (url === null)
      return { findings: [found.fail("api_url is missing", "Set platforms.pigeon.api_url.")] };
    try {
      await new PigeonApi({ url, token: token!, callMs: CALL_MS }).whoAmI(signal);
      return { findings: [found.ok("the token is valid")] };
    } catch (error) {
      const reason = isTokenRefused(error) ? TOKEN_REFUSED : `Pigeon can't be reached (${reasonOf(error)})`;
      return { findings: [found.fail(reason, `Check the network and platforms.pigeon.api_url (${url}).`)] };
    }
  },
});

export function register(ctx: PluginContext): void {
  ctx.platform(pigeon);
}

/** The keys besides the common ones. A zod, valibot or arktype schema would do as well. */
function checkSettings({ poll_seconds = 25, ...others }: Readonly<Record<string, unknown>>) {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`${unknown} is not a key`);
  if (typeof poll_seconds !== "number" || poll_seconds < 0)
    throw new Error("poll_seconds is not a number of seconds");
  return { poll_seconds };
}
