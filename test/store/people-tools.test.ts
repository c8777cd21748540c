import { expect, it } from "vitest";
import { type InboundMessage, targetOf } from "../../src/message.js";
import { operatorActions, recordAction } from "../../src/store/operator-actions.js";
import type { QuestionAnswer } from "../../src/store/queues.js";
import { dump, PLATFORM, type Place, World, type WorldPerson } from "../support/people-world.js";
import { tempStore } from "../support/temp.js";

/** Erasing a person removes their tool calls, what they were asked and what they answered, and their approvals. */

const ann: WorldPerson = { id: "ann-4711", name: "Annabel" };
const ben: WorldPerson = { id: "ben-0815", name: "Benjamin" };
const room: Place = { kind: "room", chat: "the-room" };

async function scene() {
  const { store, file } = await tempStore();
  const world = new World(store);
  /** A turn that called a tool and asked the person, who answered; it hasn't ended. */
  async function act(person: WorldPerson, place: Place, words: string): Promise<void> {
    const sessionId = await world.say(person, place, `hello from ${person.name}`);
    const { row, key, message } = await world.receive(person, place, `please ${words}`);
    const turnId = `act-${row.id}`;
    const at = message.sentAt;
    await store.startTurn({ sessionKey: key, inboxIds: [row.id], bootId: "boot", turnId, at });
    const author = { platform: PLATFORM, userId: person.id, userName: person.name };
    const callId = `${turnId}.0`;
    await store.recordStep({
      ...{ turnId, bootId: "boot", position: 0 },
      entries: [{ message: { role: "assistant", content: `I will ${words}` } }],
      calls: [{ id: callId, callId: "c1", tool: "act", arguments: `{"what":"${words}"}` }],
      caller: { ...author, sessionKey: key, sessionId, chatId: message.origin.chatId },
    });
    await ask(key, turnId, callId, person, words, message);
  }
  async function ask(
    sessionKey: string,
    turnId: string,
    callId: string,
    person: WorldPerson,
    words: string,
    message: InboundMessage,
  ): Promise<void> {
    const by = { platform: PLATFORM, userId: person.id };
    const text = `Allow act: ${words}?`;
    const id = `q${turnId}`;
    await store.askQuestion(
      {
        ...{ id, kind: "approval", sessionKey, text, choices: [], acceptsText: false, callId },
        ...{ asked: by, timeoutSeconds: 60 },
        message: { target: targetOf(message), kind: "command", text },
      },
      { turnId, said: "" },
    );
    const answer: QuestionAnswer = { text: words, at: 1, by: { ...by, userName: person.name } };
    await store.decideQuestion(id, { state: "answered", answer, grant: "person" });
  }
  return { store, file, act };
}

it("erasure removes a person's tool records and keeps those of others", async () => {
  const { store, file, act } = await scene();
  await act(ann, { kind: "dm", chat: "" }, "zanthorrhoea");
  await act(ben, { kind: "dm", chat: "" }, "something");
  const plan = await store.planErasure({ platform: PLATFORM, userId: ann.id });
  await store.erasePerson(plan, "data");
  await store.erasePerson(plan, "marks");
  const left = dump(file);
  const text = JSON.stringify([left.gw_tool_calls, left.gw_questions, left.gw_grants, left.gw_steps]);
  for (const word of ["zanthorrhoea", ann.id, ann.name]) expect(text).not.toContain(word);
  expect(left.gw_tool_calls).toEqual([expect.objectContaining({ user_id: ben.id })]);
  expect(left.gw_questions).toEqual([expect.objectContaining({ asked_user: ben.id })]);
  expect(left.gw_grants).toEqual([expect.objectContaining({ subject: `person:${PLATFORM}:${ben.id}` })]);
  expect(left.gw_steps).toHaveLength(1);
});

it("erasure keeps others' calls in shared sessions for the audit, without text that may quote the person", async () => {
  const { store, file, act } = await scene();
  await act(ann, room, "zanthorrhoea");
  await act(ben, room, "repeat zanthorrhoea");
  const plan = await store.planErasure({ platform: PLATFORM, userId: ann.id });
  await store.erasePerson(plan, "data");
  await store.erasePerson(plan, "marks");
  const left = dump(file);
  const text = JSON.stringify([left.gw_tool_calls, left.gw_questions, left.gw_grants, left.gw_steps]);
  for (const word of ["zanthorrhoea", ann.id, ann.name]) expect(text).not.toContain(word);
  expect(left.gw_tool_calls).toEqual([expect.objectContaining({ user_id: ben.id, arguments: "{}" })]);
});

it("erasure keeps operator actions about the person, without their details", async () => {
  const { store, act } = await scene();
  await act(ann, { kind: "dm", chat: "" }, "zanthorrhoea");
  const owner = { who: "owner", from: "127.0.0.1", outcome: "done" };
  const person = { platform: PLATFORM, userId: ann.id };
  await recordAction(store, { ...owner, action: "revoke", fields: person });
  await recordAction(store, { ...owner, action: "send", fields: { to: `${PLATFORM}:${ann.id}` } });
  await recordAction(store, { ...owner, action: "names", fields: { all: [ann.name, "x".repeat(2000)] } });
  await recordAction(store, { ...owner, action: "revoke", fields: { userId: `${ann.id}0`, note: null } });
  await recordAction(store, { ...owner, who: `${PLATFORM}:${ann.id}`, action: "stop", fields: {} });
  const plan = await store.planErasure(person);
  await store.erasePerson(plan, "data");
  await store.erasePerson(plan, "marks");
  const { actions, next } = await operatorActions(store, { limit: 2 });
  expect(actions).toMatchObject([
    { action: "stop", who: "erased" },
    { action: "revoke", fields: `{"userId":"${ann.id}0","note":null}` },
  ]);
  const rest = await operatorActions(store, { limit: 3, before: next! });
  expect(rest.next).toBeNull();
  expect(rest.actions.map(({ action, fields }) => [action, fields])).toEqual([
    ["names", "{}"],
    ["send", "{}"],
    ["revoke", "{}"],
  ]);
  expect((await operatorActions(store, { action: "send" })).actions).toHaveLength(1);
});
