import { type HermesError, SendError } from "../errors.js";
import type { Adapter } from "./adapter.js";

/** Placeholder for a bot with invalid settings: only reports the error. */
export function unusable(platform: string, account: string, fault: HermesError): Adapter {
  const detail = fault.hint === undefined ? fault.message : `${fault.message}: ${fault.hint}`;
  return {
    platform,
    account,
    limits: { length: 1, unit: "utf16" },
    connect: () => Promise.reject(fault),
    disconnect: () => Promise.resolve(),
    health: () => ({ state: "down", lastProofAt: null, detail }),
    render: () => [{}],
    sendPart: () => Promise.reject(new SendError("never_sent", detail, { scope: "account" })),
  };
}
