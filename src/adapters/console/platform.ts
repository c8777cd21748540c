import { definePlatform } from "../platform.js";
import { ownSettings } from "../settings.js";

export const consolePlatform = definePlatform({
  name: "console",
  label: "the gateway's terminal",
  summary: "The terminal the daemon runs in",
  settings: ownSettings(false, {}),
  ids: { chat: /^\S+$/ },
  unsolicited: true,
  capabilities: ["files"],
  load: async (_, { terminal }) => {
    const { consoleAdapter } = await import("./index.js");
    return { adapter: consoleAdapter(terminal) };
  },
});
