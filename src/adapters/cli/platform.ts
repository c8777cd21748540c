import { definePlatform } from "../platform.js";

/** `hermes chat` runs its adapter itself, in its own process. */
export const cli = definePlatform({
  name: "cli",
  label: "hermes chat",
  summary: "Terminals, each in a process of its own",
  unsolicited: false,
  capabilities: ["files", "buttons"],
});
