import { describe, expect, it } from "vitest";
import {
  type Adapter,
  canAsk,
  canLookUp,
  canPreview,
  canRegisterCommands,
  canStream,
  canType,
} from "../../src/adapters/adapter.js";
import type { Capability, Platform, PlatformDeps } from "../../src/adapters/platform.js";
import { BUILT_IN } from "../../src/adapters/platforms.js";
import { configSchema } from "../../src/config/schema.js";

const config = configSchema.parse({
  webhooks: { deploys: { secret: "s" } },
  platforms: {
    telegram: { token: "123456:abc" },
    discord: { token: "MTIz.GAbc12.xyz" },
    slack: { token: "xoxb-1", app_token: "xapp-1" },
    homeassistant: { token: "a.b.c" },
    matrix: { token: "m", api_url: "http://127.0.0.1:1" },
    mattermost: { token: "m", api_url: "http://127.0.0.1:1", callback_url: "http://127.0.0.1:2" },
    email: { address: "a@b.example", password: "p", imap_host: "i", smtp_host: "s" },
    signal: { account: "+15550100" },
    whatsapp: { phone_number: "+15550000001" },
    sms: { account_sid: "AC1", auth_token: "secret", phone_number: "+15550000001" },
    bluebubbles: { api_url: "http://127.0.0.1:1", password: "p" },
    whatsapp_cloud: { phone_number_id: "1", access_token: "t", app_secret: "s" },
  },
});

const deps: PlatformDeps = {
  config,
  home: "/nowhere",
  log: () => undefined,
  media: { home: "/nowhere", folder: "media/in", maxBytes: 1, mayFetch: async () => false },
  commands: [],
  findTarget: async () => undefined,
  outcome: async () => undefined,
  chats: {
    log: async () => [],
    sent: async () => undefined,
    sessionIdOf: async () => undefined,
    session: async () => undefined,
    chatOf: async () => null,
    sessions: async () => [],
  },
  dueRuns: async () => [],
  terminal: { input: process.stdin, output: process.stdout },
  clients: { clientOf: () => "", clientAddress: () => undefined },
};

function capabilitiesOf(adapter: Adapter): Capability[] {
  return [
    ...(adapter.files ? (["files"] as const) : []),
    ...(canStream(adapter) || canPreview(adapter) ? (["streaming"] as const) : []),
    ...(canType(adapter) ? (["typing"] as const) : []),
    ...(canRegisterCommands(adapter) ? (["menu"] as const) : []),
    ...(canAsk(adapter) ? (["buttons"] as const) : []),
    ...(canLookUp(adapter) ? (["lookup"] as const) : []),
  ];
}

const loadable = (BUILT_IN as readonly Platform[]).filter((platform) => platform.load !== undefined);

describe("platform descriptions", () => {
  it.each(loadable.map((platform) => [platform.name, platform] as const))(
    "%s: the adapter has the declared name and capabilities",
    async (name, platform) => {
      const sections = config.platforms as Record<string, object>;
      const bot = { ...sections[name], name } as Parameters<NonNullable<Platform["load"]>>[0];
      const { adapter } = await platform.load!(bot, deps);
      expect(adapter.platform).toBe(name);
      expect(capabilitiesOf(adapter)).toEqual(platform.capabilities);
    },
  );

  it("have unique names, and unique variables", () => {
    const names = BUILT_IN.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const variables = (BUILT_IN as readonly Platform[]).flatMap(({ env }) => Object.keys(env ?? {}));
    expect(new Set(variables).size).toBe(variables.length);
  });

  it("name secrets that their settings have", () => {
    for (const { name, setup } of BUILT_IN as readonly Platform[])
      for (const { key, variable } of setup?.secrets ?? []) {
        const section = (config.platforms as Record<string, object>)[name]!;
        expect(section, `${name}: ${variable}`).toHaveProperty(key);
      }
  });
});
