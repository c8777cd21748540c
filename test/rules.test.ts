import { describe, expect, it } from "vitest";
import { configSchema } from "../src/config/schema.js";
import { accessListsOf, dmBehaviourOf, engageSettingsOf } from "../src/rules.js";

const config = (keys: object, top: Record<string, unknown> = {}) =>
  configSchema.parse({ ...top, platforms: { telegram: keys, discord: keys } });

describe("the defaults", () => {
  it("match the original's", () => {
    const defaults = configSchema.parse({});
    expect(engageSettingsOf(defaults, "telegram")).toMatchObject({
      requireMention: false,
      exclusiveMentions: true,
      guestMode: false,
      allowBots: "none",
    });
    expect(engageSettingsOf(defaults, "discord")).toMatchObject({
      requireMention: true,
      threadRequireMention: false,
    });
    expect(engageSettingsOf(defaults, "slack")).toMatchObject({ requireMention: true, strictMention: false });
    expect(accessListsOf(defaults, "discord").platform).toMatchObject({
      allowBots: false,
      groupAllowedChats: [],
      allowedRoles: [],
      dmPolicy: null,
      groupPolicy: null,
    });
  });
});

describe("Hermes' names", () => {
  it("for chats and channels mean the same", () => {
    const both = configSchema.parse({
      platforms: {
        telegram: {
          free_response_chats: [-1],
          free_response_channels: [-2],
          allowed_chats: [-3],
          allowed_topics: [7],
          ignored_threads: [8],
          group_allowed_chats: [-4],
        },
      },
    });
    expect(engageSettingsOf(both, "telegram")).toMatchObject({
      freeResponseChannels: ["-2", "-1"],
      allowedChannels: ["-3"],
      allowedThreads: ["7"],
      ignoredChannels: ["8"],
    });
    expect(accessListsOf(both, "telegram").platform.groupAllowedChats).toEqual(["-4"]);
  });

  it("allow other bots if they are to be answered", () => {
    const heard = config({ allow_bots: "mentions" }, {});
    expect(accessListsOf(heard, "discord").platform.allowBots).toBe(true);
    expect(engageSettingsOf(heard, "discord").allowBots).toBe("mentions");
  });
});

describe("a stranger's direct message", () => {
  it.each([
    [{}, {}, undefined],
    [{ dm_policy: "pairing" }, {}, "pair"],
    [{ dm_policy: "allowlist" }, {}, "ignore"],
    [{ dm_policy: "pairing" }, { unauthorized_dm_behavior: "ignore" }, "ignore"],
    [{ unauthorized_dm_behavior: "pair" }, { unauthorized_dm_behavior: "ignore" }, "pair"],
  ])("%j under %j: %s", (own, top, behaviour) => {
    expect(dmBehaviourOf(config(own, top), "telegram")).toBe(behaviour);
  });
});
