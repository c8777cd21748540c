import type { Device } from "../../adapters/web/api.js";
import type { ErasureCounts, LeftAlone, ListedPerson, Role } from "../../people/types.js";

export type ShownPerson = ListedPerson & { role: Role };

export interface PeopleAnswer {
  people: ShownPerson[];
  total: number;
  next: number | null;
}

export interface PersonAnswer {
  person: ShownPerson;
  /** Null: the web chat is off. */
  web: {
    devices: Omit<Device, "current">[];
    /** The name that they sign in with; null: no password. */
    passwordName: string | null;
    canLink: boolean;
  } | null;
}

export interface SignInsAnswer {
  /** Null: the web chat is off. */
  names: string[] | null;
  minChars: number;
  maxChars: number;
}

export interface LinkAnswer {
  /** A path on this server. The page adds the host name that it was opened with. */
  path: string;
  minutes: number;
}

export interface ErasureAnswer {
  counts: ErasureCounts;
  left: LeftAlone;
  /** They can't be erased now, because the agent is answering them. */
  busy: boolean;
}

export interface ErasedAnswer {
  counts: ErasureCounts;
  /** Whether the database file was rewritten without the deleted text. */
  rewritten: boolean;
}

export type { Role };
