/** An emulated platform as one gateway and one person use it: Ann has a direct chat with the bot there. */
export interface Emulated {
  readonly name: string;
  /** For `platforms.<name>` in config.yaml. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** A gateway listens to it now. */
  isConnected(): boolean;
  /** For platforms that call the gateway: where its HTTP port is. */
  gatewayAt?(url: string): void;
  /** As Ann. */
  say(text: string): void;
  /** Both sides of the chat as Ann sees it, oldest first. */
  lines(): Line[];
  press?(messageId: string, button: string): void;
  close(): Promise<unknown>;
}

export interface Line {
  id: string;
  from: string;
  text: string;
  buttons: readonly string[];
}

export const ANN = "Ann";
export const BOT = "bot";

/** The lines of `config.yaml` for one platform: JSON is YAML. */
export function sectionOf(name: string, settings: Readonly<Record<string, unknown>>): string {
  return `${name}: ${JSON.stringify(settings)}`;
}

/** For emulators that show the bot's side only: Ann's side is kept here, and both are sorted by time. */
export function bothSides(
  say: (text: string) => void,
  said: () => readonly { id: string; text: string; atMs: number }[],
): Pick<Emulated, "say" | "lines"> {
  const own: { line: Line; atMs: number }[] = [];
  return {
    say: (text) => {
      own.push({ line: { id: `own-${own.length}`, from: ANN, text, buttons: [] }, atMs: Date.now() });
      say(text);
    },
    lines: () => {
      const theirs = said().map(({ id, text, atMs }) => ({
        line: { id, from: BOT, text, buttons: [] },
        atMs,
      }));
      return [...own, ...theirs].toSorted((a, b) => a.atMs - b.atMs).map(({ line }) => line);
    },
  };
}
