import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { tempStore } from "../support/temp.js";

it("reports show the known names of people, rooms and deciders", async () => {
  const { store, file } = await tempStore();
  const db = new Database(file);
  db.exec(`
    INSERT INTO sessions (id, source, user_id, started_at) VALUES ('ended', 'telegram', '7', 1), ('room', 'slack', NULL, 2),
      ('now', 'telegram', '7', 3), ('stranger', 'telegram', '8', 4);
    INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user', 'hello', started_at FROM sessions;
    INSERT INTO gw_rooms (session_id, platform, chat_id) VALUES ('room', 'slack', 'C1');
    INSERT INTO gw_routes (session_key, session_id, origin, tuple, created_at, updated_at, last_user_activity)
      VALUES ('k', 'now', '{"platform":"telegram","chatType":"dm","chatId":"7","userId":"7","userName":"Ann"}', 't', 1, 1, 1);
    INSERT INTO gw_inbox (platform, account, event_id, session_key, chat_id, payload, received_at, state)
      VALUES ('slack', 'bot', 'e', 'room', 'C1',
        '{"platform":"slack","account":"bot","eventId":"e","text":"hi","attachments":[],"sentAt":1,
          "origin":{"platform":"slack","chatType":"group","chatId":"C1","chatName":"General","userId":"U2","userName":"Bob"}}', 5, 'dead');
    INSERT INTO gw_tool_calls (id, call_id, turn_id, session_key, session_id, platform, user_id, chat_id, tool, arguments, decided_by, created_at)
      VALUES ('c', 'c', 't', 'room', 'room', 'telegram', '7', 'C1', 'shell', '{}', 'telegram:7', 6)`);
  db.close();
  const { sessions } = await store.reports.browseSessions({});
  expect(
    Object.fromEntries(sessions.map(({ id, place }) => [id, place?.userName ?? place?.chatName])),
  ).toEqual({ ended: "Ann", now: "Ann", room: "General", stranger: undefined });
  const { letters } = await store.reports.deadPage({});
  expect(letters).toMatchObject([{ chatId: "C1", chatName: "General" }]);
  const { messages } = await store.reports.recentMessages({});
  expect(messages).toMatchObject([{ userId: "U2", userName: "Bob", chatName: "General" }]);
  const { calls } = await store.reports.toolCalls({});
  expect(calls).toMatchObject([{ userName: "Ann", deciderName: "Ann", chatName: null }]);
  const ann = { platform: "telegram", userId: "7" };
  await store.setGrant({ person: ann }, "shell", "telegram:7");
  await store.setGrant({ sessionId: "now" }, "write", "telegram:8");
  expect((await store.grants()).map(({ tool, names }) => ({ tool, names }))).toEqual(
    expect.arrayContaining([
      { tool: "shell", names: { person: "Ann", grantedBy: "Ann" } },
      { tool: "write", names: { person: null, grantedBy: null } },
    ]),
  );
  expect((await store.grants({ person: ann, sessionId: "now" })).map(({ names }) => names)).toEqual([
    undefined,
    undefined,
  ]);
  const target = {
    ...{ platform: "telegram", account: "bot", chatType: "dm", chatId: "7" },
    ...{ threadId: null, userId: "7", replyTo: null },
  };
  await store.askQuestion({
    ...{
      id: "q",
      kind: "clarify",
      sessionKey: "k",
      text: "Which?",
      choices: [],
      acceptsText: true,
      asked: ann,
    },
    ...{ timeoutSeconds: 60, message: { target, kind: "notice", text: "Which?" } },
  });
  expect(await store.listQuestions("open")).toMatchObject([{ asked: { ...ann, userName: "Ann" } }]);
});
