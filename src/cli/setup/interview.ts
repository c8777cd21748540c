/** The whole interview, in the order of what one needs first: a model, the chats, when to begin anew. */
import { type Answers, currentReset, PLATFORM_NAMES } from "./answers.js";
import { askModel } from "./ask-model.js";
import { askPlatform } from "./ask-platform.js";
import { askReset, askTimezone } from "./ask-sessions.js";
import type { Current } from "./draft.js";
import { GUIDES } from "./guides.js";
import { chooseSome } from "./prompts.js";

export async function interview(current: Current): Promise<Answers> {
  const { config } = current.loaded;
  const model = await askModel(current);
  const enabled = PLATFORM_NAMES.filter((name) => config.platforms[name].enabled);
  const chosen = await chooseSome(
    "On which chats? (space chooses, enter goes on; the web chat is there anyway)",
    PLATFORM_NAMES.map((value) => ({ value, label: GUIDES[value].title })),
    enabled,
  );
  const platforms: Answers["platforms"] = {};
  for (const name of enabled) if (!chosen.includes(name)) platforms[name] = { enabled: false, secrets: {} };
  for (const name of chosen) platforms[name] = await askPlatform(current, name);
  const reset = await askReset(currentReset(config));
  return { model, platforms, reset, timezone: await askTimezone(config.timezone) };
}
