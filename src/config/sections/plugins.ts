/** Plugins: platforms that are added to the home. */

import { z } from "zod";
import { listOf, text } from "./scalars.js";

export const plugins = z.strictObject({
  enabled: listOf(text).describe(
    "Plugins under plugins/ of the home that are loaded: code that runs in the gateway",
  ),
  disabled: listOf(text).describe("Plugins that are never loaded, even if they are enabled"),
});

export type PluginSettings = z.output<typeof plugins>;
