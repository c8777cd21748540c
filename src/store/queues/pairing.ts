import type { RequestPermission } from "../../pairing-limits.js";
import type { SettledMessage } from "./inbox.js";
import type { AdoptedRoute } from "./routes.js";

/** Pairing requests and approved people. */
export interface Pairing {
  /** Of a person, who may have several ids, and of their platform. */
  pairingState(platform: string, userIds?: readonly string[]): Promise<PairingState>;
  /**
   * Stores a request, with the message that asked for it and the reply that contains the code, unless a limit forbids it. The limits
   * are checked in the same transaction.
   */
  addPairing(pairing: NewPairing, settled?: SettledMessage): Promise<RequestPermission>;
  /** The operator's answer to a request, or the end of an approval. False if there is none. */
  settlePairing(answer: PairingAnswer): Promise<boolean>;
  /**
   * Imports routes (for keys without one) and approved people from another Hermes program, each once.
   * Returns how many are new.
   */
  adopt(found: Adopted): Promise<{ routes: number; people: number }>;
}

export interface PairingRow {
  id: string;
  platform: string;
  userId: string;
  userName: string | null;
  hash: string;
  salt: string;
  createdAt: number;
}

export type NewPairing = PairingRow;

export type PairingAnswer =
  | { id: string; approved: boolean }
  /** Ends the person's approval and removes their request. */
  | { platform: string; revoked: string }
  /** A wrong code was given. */
  | { platform: string; failures: number; lockedUntil: number | null };

export interface ApprovedRow {
  platform: string;
  userId: string;
  userName: string | null;
  approvedAt: number;
}

export interface Adopted {
  routes?: readonly AdoptedRoute[];
  people?: readonly ApprovedRow[];
}

export interface PairingState {
  /** The person is approved. */
  isPaired: boolean;
  /** When the person last asked. */
  lastRequestAt: number | null;
  /** The platform's requests. */
  pending: PairingRow[];
  lockedUntil: number | null;
  failures: number;
}
