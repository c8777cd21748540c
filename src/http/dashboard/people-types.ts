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
    /** The name that they sign in with; null: without a password. */
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
  /** Of this server: the page knows under which name it was opened. */
  path: string;
  minutes: number;
}

export interface ErasureAnswer {
  counts: ErasureCounts;
  left: LeftAlone;
  /** The agent is answering them: they can't be erased at the moment. */
  busy: boolean;
}

export interface ErasedAnswer {
  counts: ErasureCounts;
  /** Deleted text is gone from the bytes of the file. */
  rewritten: boolean;
}

export type { Role };
