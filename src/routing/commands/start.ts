import type { Command } from "./command.js";

/** Some apps send this on their own when a chat is opened: a greeting, nothing else. */
export const start: Command = {
  name: "start",
  description: "Say hello",
  when: "now",
  run: async () => ({ reply: "👋 Hello! Just write to me; /help shows what else I can do." }),
};
