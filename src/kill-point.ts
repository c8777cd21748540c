/**
 * Places where a crash is worth trying. `HERMES_KILL_AT=turn-committed:3` ends the process, as `kill -9` would, the
 * third time that it gets there. Without the variable a point costs one comparison.
 */
export type KillPoint =
  | "accepted" // the inbox has it, the platform hasn't been told
  | "turn-started"
  | "preview-shown" // the chat shows an unfinished answer, nobody has noted where
  | "turn-answered" // the agent is done, nothing of it is stored
  | "turn-committed" // stored, not sent
  | "before-send"
  | "sent" // the platform has it, the outbox doesn't know
  | "settled"
  | "split-ready" // the summary is made, the lineage isn't
  | "split-committed";

const [wanted, count] = (process.env.HERMES_KILL_AT ?? "").split(":");
let left = Number(count ?? 1);

export function killPoint(point: KillPoint): void {
  if (point !== wanted) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}
