/** How the operator links the account, in words and as a picture. */
import type { LinkCode } from "../adapter.js";
import type { Settings } from "./config.js";
import type { Pairing } from "./port.js";

const WHERE = "in WhatsApp on the phone, under Settings → Linked devices → Link a device";

/** For health, the log and the dashboard. */
export function pairingText(pairing: Pairing): string {
  if ("problem" in pairing) return `WhatsApp isn't linked: ${pairing.problem}`;
  if ("qr" in pairing)
    return `WhatsApp isn't linked: scan the code in the gateway's terminal or on the dashboard's Platforms page ${WHERE}. For a code to type, set platforms.whatsapp.link_with to code`;
  return `WhatsApp isn't linked: choose Link with phone number instead and enter ${spaced(pairing.code)} ${WHERE}`;
}

/** For the dashboard: with the code as the phone shows it. */
export function linkCodeOf(pairing: Pairing): LinkCode | undefined {
  if ("problem" in pairing) return undefined;
  return "qr" in pairing ? pairing : { code: spaced(pairing.code) };
}

/** As the phone shows it: ABCD-EFGH. */
function spaced(code: string): string {
  return code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code;
}

/** Draws a QR code; nothing for other ways. */
export async function drawPairing(pairing: Pairing, terminal: Settings["terminal"]): Promise<void> {
  if (!("qr" in pairing)) return;
  const { renderUnicodeCompact } = await import("uqr");
  terminal.write(`\n${renderUnicodeCompact(pairing.qr)}\n\nScan this ${WHERE}.\n`);
}
