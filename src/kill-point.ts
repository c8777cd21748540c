/**
 * Points where tests kill the process. `HERMES_KILL_AT=turn-committed:3` kills it, like `kill -9`, at the
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
  | "prompt-arrived" // the agent has responded, and that is recorded
  | "steering-recorded" // the journal has a message that was added to the running turn
  | "question-asked" // the turn is suspended, its question is stored
  | "question-decided" // the answer is stored, the turn hasn't continued
  | "preview-shown" // the chat shows a preview, its id isn't stored
  | "turn-answered" // the agent is done, nothing is stored
  | "turn-committed" // stored and claimed, not sent
  | "before-send"
  | "part-sent" // the platform has a part, the outbox doesn't have its ids; more parts follow
  | "part-stored" // the outbox has the ids of that part
  | "sent" // the platform has all parts, the outbox doesn't know it
  | "settled"
  | "split-ready" // the summary exists, the child session doesn't
  | "split-committed"
  | "login-found" // the login code is right, nothing else has happened
  | "login-moved" // the person has the browser's conversations, the browser isn't their device yet
  | "login-saved" // the browser is their device but has no cookie yet, the code still works
  | "file-ready" // a new file is complete, the old one isn't replaced yet
  | "secrets-written"; // .env is replaced, config.yaml isn't

const [target, count] = (process.env.HERMES_KILL_AT ?? "").split(":");
let left = Number(count ?? 1);

export function killPoint(point: KillPoint): void {
  if (point !== target) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}
