/** A message arrives while its session's turn still runs: what happens to it, and what the waiting ones become. */

export type BusyMode = "interrupt" | "queue" | "steer";

export function busyDecision(
  mode: BusyMode,
  state: { running: boolean; isCommand: boolean; canSteer: boolean },
): "run" | "queue" | "interrupt" | "steer" {
  // Commands never wait behind the turn that they may be about (/stop, /status).
  if (!state.running || state.isCommand) return "run";
  if (mode === "steer") return state.canSteer ? "steer" : "queue";
  return mode;
}

export interface WaitingMessage<Media> {
  /** Stable id of who wrote it; null when the platform doesn't say. */
  senderId: string | null;
  text: string;
  media: readonly Media[];
}

export interface WaitingTurn<Message extends WaitingMessage<unknown>> {
  senderId: string | null;
  text: string;
  media: Message["media"][number][];
  /** What the turn was made from, in order: all of it is done when the turn is. */
  messages: Message[];
}

/** In order; what one person wrote in a row is one turn, never what two people wrote. */
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
    // Two unnamed senders may be two people.
    if (run !== undefined && message.senderId !== null && run[0]!.senderId === message.senderId)
      run.push(message);
    else runs.push([message]);
  }
  return runs;
}
