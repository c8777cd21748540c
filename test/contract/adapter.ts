/**
 * The contract of every adapter (`src/adapters/adapter.ts`), tested with the real SDK and the platform's emulator. A new
 * platform implements a stage and calls this.
 */
import { describe } from "vitest";
import { abilities } from "./abilities.js";
import { asks } from "./asking.js";
import { lifetime } from "./lifetime.js";
import { receiving } from "./receiving.js";
import { sending } from "./sending.js";
import type { Platform } from "./stage.js";

export function adapterContract(platform: Platform): void {
  describe(`the ${platform.name} adapter`, () => {
    receiving(platform);
    if (platform.lacks.network === undefined) sending(platform);
    abilities(platform);
    asks(platform);
    lifetime(platform);
  });
}
