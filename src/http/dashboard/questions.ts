/** Open questions. The operator may answer all of them, as owners may. */
import type { Hono } from "hono";
import { z } from "zod";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import type { GivenAnswer } from "../../pipeline/questions.js";
import type { QuestionRow } from "../../store/queues.js";
import { bodyOf } from "../params.js";
import { deciderOf, gone, operatorLog } from "./operator.js";
import type { DashboardOptions } from "./options.js";
import type { PeopleSource } from "./people-source.js";
import type { OpenQuestion, QuestionsAnswer } from "./questions-types.js";

const MAX_ANSWER = 4000;
const id = z.string().min(1).max(100);

export function questionRoutes(api: Hono, options: DashboardOptions, people: PeopleSource): void {
  const { store, gateway } = options;
  const note = operatorLog(options);

  api.get("/questions", async (c) => {
    const open = await store.listQuestions("open");
    const questions = await Promise.all(open.map((question) => shown(question, options, people)));
    return c.json({ questions } satisfies QuestionsAnswer);
  });

  api.post("/questions/answer", async (c) => {
    const body = await bodyOf(c, {
      id,
      choice: z.string().min(1).max(100).optional(),
      text: z.string().trim().min(1).max(MAX_ANSWER).optional(),
    });
    const question = await openQuestion(store, body.id);
    const answer = answerTo(question, body);
    if (!(await gateway.decideQuestion(question, answer, await deciderOf(c, store))))
      throw late((await store.listQuestions({ id: question.id }))[0]);
    const chosen = "choiceId" in answer ? { choice: answer.choiceId } : { text: answer.text };
    await note(c, "questions/answer", { ...about(question), ...chosen });
    return c.json({ answered: question.id });
  });

  api.post("/questions/withdraw", async (c) => {
    const question = await openQuestion(store, (await bodyOf(c, { id })).id);
    if (!(await gateway.decideQuestion(question, null, await deciderOf(c, store))))
      throw late((await store.listQuestions({ id: question.id }))[0]);
    await note(c, "questions/withdraw", about(question));
    return c.json({ withdrawn: question.id });
  });
}

const about = ({ id: question, kind, sessionKey }: QuestionRow) => ({ question, kind, sessionKey });

async function openQuestion(store: DashboardOptions["store"], questionId: string): Promise<QuestionRow> {
  const [question] = await store.listQuestions({ id: questionId });
  if (!question) throw gone("There is no such question.");
  if (question.state !== "open" || question.secondsLeft <= 0) throw late(question);
  return question;
}

function answerTo(
  question: QuestionRow,
  { choice, text }: { choice?: string | undefined; text?: string | undefined },
): GivenAnswer {
  const { choices, acceptsText, kind } = question;
  // The answer continues the person's own command, which only their message can run.
  if (kind === "command")
    throw new HermesError("invalid", "Only the person who was asked can answer this.", {
      hint: "You can withdraw it.",
    });
  if (choice !== undefined && choices.some((one) => one.id === choice)) return { choiceId: choice };
  if (choice === undefined && text !== undefined && acceptsText) return { text };
  throw new HermesError("invalid", `Answer with one of: ${choices.map((one) => one.id).join(", ")}`);
}

/** Someone else was faster: another operator, or someone in the chat. */
function late(question: QuestionRow | undefined): HermesError {
  const { state, answer } = question ?? {};
  const who = answer ? (answer.by.userName ?? `${answer.by.platform}:${answer.by.userId}`) : "";
  const what =
    state === "answered"
      ? `${who} has decided this already: ${answer?.text.slice(0, 200) ?? ""}`
      : state === "withdrawn"
        ? "This question was withdrawn"
        : "This question has expired";
  return new HermesError("conflict", what);
}

async function shown(
  question: QuestionRow,
  { store }: DashboardOptions,
  people: PeopleSource,
): Promise<OpenQuestion> {
  const { id: name, kind, sessionKey, text, choices, acceptsText, asked, target, createdAt } = question;
  const route = await store.getRoute(sessionKey);
  return {
    ...{ id: name, kind, text, choices, acceptsText, createdAt },
    asked: asked && {
      platform: asked.platform,
      userId: asked.userId,
      name: await people.nameOf(asked, asked.userName),
    },
    place: target && {
      ...{ platform: target.platform, chatId: target.chatId },
      name: route?.origin.chatName ?? route?.origin.userName ?? null,
    },
    sessionId: route?.sessionId ?? null,
    expiresAt: Math.round(nowSeconds() + question.secondsLeft),
  };
}
