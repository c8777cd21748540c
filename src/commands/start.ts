import type { Command } from "./command.js";

/** Some apps send this when a chat is opened: replies with a greeting only. */
export const start: Command = {
  name: "start",
  description: "Say hello",
  when: "now",
  run: async () => ({ reply: "👋 Hello! Just write to me; /help shows what else I can do." }),
};
