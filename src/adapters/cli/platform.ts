import { definePlatform } from "../platform.js";

/** `hermes chat` runs its adapter itself, in its own process. */
export const cli = definePlatform({
  name: "cli",
  label: "hermes chat",
  summary: "Terminals, each in its own process",
  unsolicited: false,
  capabilities: ["files", "buttons"],
});
