/** Small values shared by all processes: global ones, and those of an adapter's account, such as its cursor. */
export interface Values {
  getValue(name: ValueName): Promise<string | undefined>;
  setValue(name: ValueName, value: string): Promise<void>;
}

/** Used as platform for values an agent keeps about a session. The account is the agent's name, the name is the session id. */
export const AGENTS = "agent";

export type ValueName = string | AccountValue;

export interface AccountValue {
  platform: string;
  account: string;
  /** Chosen by the adapter. */
  name: string;
}

/** A wait imposed by a platform; survives restarts. An empty chat id means the whole account. */
export interface Penalty {
  platform: string;
  account: string;
  chatId: string;
  /** From now on. */
  seconds: number;
}
