/** The whole interview: a model, the chats, when sessions are reset. */

import { platformConfig } from "../../rules.js";
import { type Answers, currentReset, guidedIn } from "./answers.js";
import { askModel } from "./ask-model.js";
import { askPlatform } from "./ask-platform.js";
import { askReset, askTimezone } from "./ask-sessions.js";
import type { Ask } from "./asking.js";
import type { Current } from "./draft.js";

export async function interview(ask: Ask, current: Current): Promise<Answers> {
  const { config } = current.loaded;
  const model = await askModel(ask, current);
  const offered = guidedIn(config);
  const enabled = offered.filter(({ name }) => platformConfig(config, name)?.enabled);
  const chosen = await ask.chooseSome(
    "Which chats? (Space selects; the web chat is always there)",
    offered.map((platform) => ({ value: platform.name, label: platform.label })),
    enabled.map(({ name }) => name),
  );
  const platforms: Answers["platforms"] = {};
  for (const { name } of enabled)
    if (!chosen.includes(name)) platforms[name] = { enabled: false, secrets: {} };
  for (const platform of offered)
    if (chosen.includes(platform.name)) platforms[platform.name] = await askPlatform(ask, current, platform);
  const reset = await askReset(ask, currentReset(config));
  return { model, platforms, reset, timezone: await askTimezone(ask, config.timezone) };
}
