/** What adapters keep: their positions, and pauses that a platform imposed. */
export interface Platforms {
  /** An account's position, under a name that its adapter chose. */
  getCursor(platform: string, account: string, name: string): Promise<string | undefined>;
  saveCursor(platform: string, account: string, name: string, value: string): Promise<void>;
  /** A pause that a platform imposed; it outlives a restart. An empty chat id means the whole account. */
  savePenalty(penalty: Penalty): Promise<void>;
  openPenalties(): Promise<Penalty[]>;
}

export interface Penalty {
  platform: string;
  account: string;
  chatId: string;
  /** From now on. */
  seconds: number;
}
