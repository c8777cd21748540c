/**
 * Places where a crash is worth testing. `HERMES_KILL_AT=turn-committed:3` ends the process, as `kill -9` would, at the
 * third visit. Without the variable a point costs one comparison.
 */
export type KillPoint =
  | "accepted" // in the inbox, not acknowledged
  | "turn-started"
  | "calls-recorded" // the model's message is in the journal, its first call may be running
  | "call-started" // an approved call is about to run
  | "tool-ran" // a tool is done, its result isn't recorded
  | "result-recorded"
  | "prompt-recorded" // the prompt of an agent with its own conversation is about to be sent
  | "prompt-arrived" // the agent has given a sign, and that is recorded
  | "steering-recorded" // a message that was added to the running turn is in the journal
  | "question-asked" // the turn is suspended, its question is stored
  | "question-decided" // the answer is stored, the turn hasn't gone on
  | "preview-shown" // the chat shows a preview, its id isn't stored
  | "turn-answered" // the agent is done, nothing is stored
  | "turn-committed" // stored and claimed, not sent
  | "before-send"
  | "part-sent" // the platform has a part, the outbox doesn't have its ids; more parts follow
  | "part-stored" // the outbox has the ids of that part
  | "sent" // the platform has all of it, the outbox doesn't have that
  | "settled"
  | "split-ready" // the summary exists, the child session doesn't
  | "split-committed"
  | "login-found" // the code of a login is right, nothing else has happened
  | "login-moved" // the conversations are the person's, the browser isn't a device of theirs
  | "login-saved" // the browser is a device of theirs and doesn't know it, the code still works
  | "file-ready" // a file is complete beside the one that it replaces
  | "secrets-written"; // .env is replaced, config.yaml isn't

const [wanted, count] = (process.env.HERMES_KILL_AT ?? "").split(":");
let left = Number(count ?? 1);

export function killPoint(point: KillPoint): void {
  if (point !== wanted) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}
