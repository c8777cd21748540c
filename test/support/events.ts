import type { AdapterEvents } from "../../src/adapters/adapter.js";

/** For adapters that only receive: the rest of what a gateway offers, doing nothing. */
export function receivingOnly(receive: AdapterEvents["receive"]): AdapterEvents {
  return {
    receive,
    edited: async () => undefined,
    deleted: async () => undefined,
    cursor: async () => undefined,
    saveCursor: async () => undefined,
    chatMoved: async () => undefined,
  };
}
