/** Small values that all processes share: by name, or what an adapter keeps of its account, such as its position. */
export interface Values {
  getValue(name: ValueName): Promise<string | undefined>;
  setValue(name: ValueName, value: string): Promise<void>;
}

/** In place of a platform: what an agent keeps about a session. The account is the agent's name, the name is the session's id. */
export const AGENTS = "agent";

export type ValueName = string | AccountValue;

export interface AccountValue {
  platform: string;
  account: string;
  /** Chosen by the adapter. */
  name: string;
}

/** A pause that a platform imposed; it outlives a restart. An empty chat id means the whole account. */
export interface Penalty {
  platform: string;
  account: string;
  chatId: string;
  /** From now on. */
  seconds: number;
}
