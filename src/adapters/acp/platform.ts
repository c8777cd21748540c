import { definePlatform } from "../platform.js";

/** `hermes acp` runs its adapter itself, in its own process. */
export const acp = definePlatform({
  name: "acp",
  label: "hermes acp",
  summary: "Editors that speak ACP, each in its own process",
  unsolicited: false,
  capabilities: ["files", "buttons"],
});
