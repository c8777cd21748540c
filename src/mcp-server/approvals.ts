/** Pending approvals, for programs that decide them. */
import type { QuestionRow } from "../store/queues.js";
import { CallerMistake, type ChatService } from "./service.js";

export type Decision = "allow-once" | "allow-always" | "deny";

export async function listApprovals({ store }: ChatService) {
  const open = (await store.listQuestions("open")).filter(({ kind }) => kind === "approval");
  const approvals = open.map(({ id, sessionKey, text, choices, createdAt, secondsLeft }) => ({
    id,
    session_key: sessionKey,
    description: text,
    choices: choices.map((choice) => choice.id),
    created_at: createdAt,
    expires_in: Math.max(0, Math.round(secondsLeft)),
  }));
  return { count: approvals.length, approvals };
}

export async function respond(service: ChatService, id: string, decision: Decision) {
  const [question] = await service.store.listQuestions({ id });
  if (question?.kind !== "approval") throw new CallerMistake(`There is no approval ${id}.`);
  const choiceId = choiceOf(question, decision);
  if (choiceId === undefined) throw new CallerMistake("This call can't be allowed for longer than once.");
  const resolved = await service.decide(question, choiceId);
  if (!resolved) throw new CallerMistake(`The approval ${id} has already been decided.`);
  return { resolved, approval_id: id, decision, choice: choiceId };
}

/** `allow-always` lasts as long as the rules allow: for the person or for the session. Pure. */
function choiceOf({ choices }: QuestionRow, decision: Decision): string | undefined {
  const wanted = { "allow-once": ["once"], "allow-always": ["always", "session"], deny: ["deny"] }[decision];
  return wanted.find((id) => choices.some((choice) => choice.id === id));
}
