import { type HermesError, SendError } from "../errors.js";
import type { Adapter } from "./adapter.js";

/** Takes the place of a bot whose settings are wrong: it only reports the fault. */
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
