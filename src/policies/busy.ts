/** What to do with a message that arrives during a turn of its session, and how waiting messages become turns. */

export type BusyMode = "interrupt" | "queue" | "steer";

export function busyDecision(
  mode: BusyMode,
  state: { running: boolean; isCommand: boolean; canSteer: boolean },
): "run" | "queue" | "interrupt" | "steer" {
  // Commands don't wait for the turn: /stop and /status are about it.
  if (!state.running || state.isCommand) return "run";
  if (mode === "steer") return state.canSteer ? "steer" : "queue";
  return mode;
}

export interface WaitingMessage<Media> {
  /** The sender's stable id; null if unknown. */
  senderId: string | null;
  text: string;
  media: readonly Media[];
}

export interface WaitingTurn<Message extends WaitingMessage<unknown>> {
  senderId: string | null;
  text: string;
  media: Message["media"][number][];
  /** The messages of this turn, in order. All of them are settled with the turn. */
  messages: Message[];
}

/** Merges consecutive messages of one person into one turn, in order. Never merges messages of two people. */
export function mergeWaiting<Message extends WaitingMessage<unknown>>(
  messages: readonly Message[],
): WaitingTurn<Message>[] {
  return runsOfOneSender(messages).map((run) => ({
    senderId: run[0]!.senderId,
    text: run
      .map((message) => message.text)
      .filter((text) => text !== "")
      .join("\n"),
    media: run.flatMap((message) => message.media as Message["media"][number][]),
    messages: run,
  }));
}

function runsOfOneSender<Message extends WaitingMessage<unknown>>(messages: readonly Message[]): Message[][] {
  const runs: Message[][] = [];
  for (const message of messages) {
    const run = runs.at(-1);
    // Two unknown senders may be two people.
    if (run !== undefined && message.senderId !== null && run[0]!.senderId === message.senderId)
      run.push(message);
    else runs.push([message]);
  }
  return runs;
}
