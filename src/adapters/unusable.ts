import { type HermesError, SendError } from "../errors.js";
import type { Adapter } from "./adapter.js";

/** Stands in for a bot whose settings make no sense: it says what is wrong, and nothing else. */
export function unusable(platform: string, account: string, fault: HermesError): Adapter {
  const detail = fault.hint === undefined ? fault.message : `${fault.message}: ${fault.hint}`;
  return {
    platform,
    account,
    limits: { length: 1, unit: "utf16" },
    connect: () => Promise.reject(fault),
    disconnect: () => Promise.resolve(),
    health: () => ({ state: "down", lastProofAt: null, detail }),
    send: () => Promise.reject(new SendError("never_sent", detail, { scope: "account" })),
  };
}
