import { definePlatform } from "../platform.js";

export const cron = definePlatform({
  name: "cron",
  label: "schedules",
  summary: "Schedules: `hermes cron`",
  unsolicited: false,
  isEnabled: (config) => config.cron.enabled,
  load: async (_, { dueRuns, log }) => {
    const { cronAdapter } = await import("./index.js");
    const failed = (error: unknown) => log("warn", "schedules were not checked", { err: error });
    return { adapter: cronAdapter({ due: dueRuns, failed }) };
  },
});
