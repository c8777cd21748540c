/** The whole configuration: the core's keys, and a section for every platform. */

import { z } from "zod";
import type { CommonSettings, RoomSettings } from "../adapters/settings.js";
import { coreSchema } from "./core.js";
import { platforms } from "./sections/platforms.js";

export type { ResetPolicyConfig } from "./core.js";

export const configSchema = z.strictObject({
  ...coreSchema.shape,
  platforms: platforms.prefault({}).describe("The chats; setting a token enables its platform"),
});

/** Complete: every key is there, absent values are null. `loadConfig` returns it deeply frozen. */
export type Config = z.output<typeof configSchema>;
export type ModelConfig = Config["model"];
/** What every platform has. */
export type PlatformConfig = CommonSettings;
/** What some platforms have besides, and rules ask for. */
export type RoomsConfig = Partial<
  RoomSettings & {
    free_response_chats: string[];
    allowed_chats: string[];
    allowed_topics: string[];
    ignored_threads: string[];
    guest_mode: boolean;
    allowed_roles: string[];
  }
>;
