/** Opens, links and keeps the uplink to WhatsApp; gives up if only a person can fix it. Ends with its signal. */
import type { HermesError } from "../../errors.js";
import type { LinkCode } from "../adapter.js";
import type { HealthTracker } from "../kit/health.js";
import { keepSocketOpen, type SocketLost } from "../kit/socket-loop.js";
import type { Settings } from "./config.js";
import {
  isDisconnect,
  lastingFault,
  RAN_OUT,
  RESTART,
  reasonOf,
  UNLINKED,
  unlinked,
  unlinkedText,
} from "./faults.js";
import { drawPairing, linkCodeOf, pairingText } from "./pairing.js";
import type { Link, LinkEvents, OpenLink, Pairing } from "./port.js";

export interface UplinkParts {
  settings: Settings;
  health: HealthTracker;
  open: OpenLink;
  events: Pick<LinkEvents, "message" | "arrived">;
  signal: AbortSignal;
}

/** Ends the loop. */
class GivenUp extends Error {}

export class Uplink {
  readonly #parts: UplinkParts;
  #link: Link | undefined;
  #pairing: Pairing | undefined;
  #settle = () => {};
  /** Resolves when the first attempt has succeeded or failed. */
  readonly tried = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });
  /** Why it was given up. */
  refusal: HermesError | undefined;

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  /** Undefined: not connected, or not linked yet. */
  get link(): Link | undefined {
    return this.#link;
  }

  /** What the operator links the account with; undefined: it is linked, or no code is valid now. */
  get linkCode(): LinkCode | undefined {
    return this.#pairing && linkCodeOf(this.#pairing);
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { settings, health, open, events, signal } = this.#parts;
    const { timing } = settings;
    let opened: Link | undefined;
    await keepSocketOpen({
      open: async (heard, opening) => {
        opened = await open({ ...events, heard, pairing: (pairing) => this.#shown(pairing) }, opening);
        return opened;
      },
      onOpen: () => {
        if (opened?.self) {
          this.#pairing = undefined;
          this.#link = opened;
          health.up();
        }
        this.#settle();
      },
      onAlive: () => {
        if (this.#link) health.heard();
      },
      onLost: (lost) => this.#lost(lost),
      signal,
      backoff: timing.backoff,
      openTimeoutMs: timing.openMs,
      // Baileys itself asks for signs of life, a little more often.
      pingMs: 1.5 * timing.keepAliveMs,
      stableMs: timing.stableMs,
      closeTimeoutMs: timing.closeMs,
    }).catch((error: unknown) => {
      if (!(error instanceof GivenUp)) health.trouble("down", `WhatsApp stopped (${reasonOf(error)})`);
    });
    this.#link = undefined;
    this.#pairing = undefined;
    this.#settle();
  }

  #shown(pairing: Pairing): void {
    const { health, settings } = this.#parts;
    this.#pairing = pairing;
    health.trouble("down", pairingText(pairing));
    drawPairing(pairing, settings.terminal).catch(() => {
      settings.log("error", "The QR code can't be drawn: set platforms.whatsapp.link_with to code");
    });
  }

  /** Updates the health; returns a delay to use in place of the backoff's, if any. */
  #lost({ reason, wasOpen }: SocketLost): number | undefined {
    const { health, settings, signal } = this.#parts;
    const wasLinked = this.#link !== undefined;
    this.#link = undefined;
    this.#pairing = undefined;
    if (signal.aborted) return undefined;
    const disconnect = isDisconnect(reason) ? reason : undefined;
    if (disconnect?.code === RESTART) return 0;
    if (disconnect?.code === UNLINKED) {
      this.refusal = unlinked(settings.folder);
      health.trouble("down", unlinkedText(settings.folder));
      throw new GivenUp();
    }
    const lasting = disconnect && lastingFault(disconnect);
    if (lasting !== undefined) health.trouble("down", lasting);
    // While waiting to be linked, codes expire and are replaced, which isn't a problem.
    else if (wasLinked || !wasOpen)
      health.trouble("degraded", `WhatsApp can't be reached (${reasonOf(reason)}): retrying`);
    this.#settle();
    if (lasting !== undefined) return settings.timing.refusedMs;
    return !wasLinked && wasOpen && disconnect?.code === RAN_OUT ? settings.timing.backoff.maxMs : undefined;
  }
}
