import { expect, it } from "vitest";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const ASK = '!tool clarify {"question":"Which colour?","choices":["red","blue"]}';

it("a question stays open over a restart, and the message that led to it doesn't answer it", async () => {
  const before = await TestGateway.start();
  await before.say(ann, ASK);
  await until("the question is asked", () => before.adapter.to(ann).length === 1);
  const after = await before.restart();
  expect(await after.store.listQuestions("open")).toMatchObject([{ text: "Which colour?" }]);
  await after.say(ann, "green");
  await after.idle();
  const [question] = await after.store.listQuestions("open");
  expect(question).toBeUndefined();
  expect(after.adapter.to(ann).at(-1)!.text).toContain('"user_response":"green"');
});
