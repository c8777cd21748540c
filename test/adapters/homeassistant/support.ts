/** The real adapter against the emulator, with an inbox in memory. */
import { onTestFinished } from "vitest";
import type { Adapter } from "../../../src/adapters/adapter.js";
import {
  type HomeAssistantOptions,
  homeAssistantAdapter,
} from "../../../src/adapters/homeassistant/index.js";
import { Inbox } from "../../contract/inbox.js";
import { HomeAssistantEmulator, TOKEN } from "../../emulators/homeassistant/index.js";

export interface Setup {
  emulator: HomeAssistantEmulator;
  inbox: Inbox;
  adapter: Adapter;
  connect(): Promise<void>;
}

/** Connected, with the door, the light and the lamp as they were. */
export async function setUp(options: Partial<HomeAssistantOptions> = {}): Promise<Setup> {
  const emulator = await new HomeAssistantEmulator().start();
  emulator.set("binary_sensor.door", "off", { friendly_name: "Door" });
  emulator.set("light.porch", "off", { friendly_name: "Porch" });
  emulator.set("light.lamp", "off", { friendly_name: "Lamp" });
  const inbox = new Inbox();
  const adapter = homeAssistantAdapter({
    ...{ token: TOKEN, apiUrl: emulator.url, cooldownSeconds: 0 },
    watch: { domains: ["light", "sensor"], entities: ["binary_sensor.door"] },
    timing: { sweepMs: 10, backoff: { firstMs: 20, maxMs: 200 } },
    ...options,
  });
  const connect = () => adapter.connect(inbox, new AbortController().signal);
  onTestFinished(async () => {
    await adapter.disconnect();
    await emulator.close();
  });
  await connect();
  return { emulator, inbox, adapter, connect };
}

export const patience = () => AbortSignal.timeout(5000);
