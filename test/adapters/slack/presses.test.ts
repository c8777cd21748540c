import { afterEach, describe, expect, it } from "vitest";
import { slackManifest } from "../../../src/adapters/slack/manifest.js";
import { buttonsIn } from "../../emulators/slack/index.js";
import { send } from "../../support/send.js";
import { deadline, outbound, type Setup, setup } from "./support.js";

const question = {
  id: "q1",
  choices: [
    { id: "yes", label: "Yes", style: "primary" as const },
    { id: "no", label: "No" },
  ],
};
const IN_CHANNEL = { chatId: "C1", chatType: "group" };

let b: Setup;
afterEach(() => b.close());

async function ask(target: Parameters<typeof outbound>[0] = {}): Promise<string> {
  const { messageIds } = await send(b.adapter, outbound(target, "May *I*?", { question }), deadline());
  return messageIds.at(-1)!;
}

async function pressed() {
  await b.slack.until(() => b.slack.deliveries.all.at(-1)?.state === "acked");
  return b.inbox.received.at(-1)!;
}

describe("buttons in Slack", () => {
  it("are in blocks, with the text for notifications", async () => {
    b = await setup();
    const ts = await ask();
    const { text, blocks } = b.slack.workspace.find("D1", ts);
    expect(text).toBe("May _I_?");
    expect(blocks?.map(({ type }) => type)).toEqual(["section", "actions"]);
    expect(buttonsIn({ blocks: blocks! })).toMatchObject([{ style: "primary" }, { text: { text: "No" } }]);
    expect(slackManifest().settings.interactivity).toEqual({ is_enabled: true });
  });

  it("are received over HTTP", async () => {
    b = await setup({ adapter: { appToken: undefined, signingSecret: "emulated-signing-secret" } });
    b.slack.postEventsTo((request) => b.adapter.handleRequest(request));
    b.slack.press("D1", await ask(), "No", "U1");
    const { choice, text, origin } = await pressed();
    expect({ choice, text }).toEqual({ choice: { questionId: "q1", choiceId: "no" }, text: "No" });
    expect(origin).toMatchObject({ chatType: "dm", chatId: "D1", threadId: null, userName: "Ada" });
    expect(b.slack.deliveries.all.at(-1)!.ackPayload).toBe("");
  });

  it("keep their thread; a question that others have answered is none", async () => {
    b = await setup();
    const root = b.slack.say({ channel: "C1", user: "U2", text: "a topic", silently: true });
    b.slack.press("C1", await ask({ ...IN_CHANNEL, threadId: root.ts }), "Yes", "U2");
    expect((await pressed()).origin).toMatchObject({ chatId: "C1", threadId: root.ts, userId: "U2" });
    const ts = await ask(IN_CHANNEL);
    b.slack.say({ channel: "C1", user: "U2", text: "what is that?", threadTs: ts, silently: true });
    b.slack.press("C1", ts, "Yes", "U2");
    expect((await pressed()).origin).toMatchObject({ chatId: "C1", threadId: null, messageId: ts });
  });

  it("are acknowledged only after they are stored, and pressed again if that failed", async () => {
    b = await setup();
    const ts = await ask();
    b.inbox.gate = () => Promise.reject(new Error("the disk is full"));
    const lost = b.slack.press("D1", ts, "No", "U1");
    await b.slack.until(() => lost.state === "gave_up");
    expect({ attempts: lost.attempts, received: b.inbox.received }).toEqual({ attempts: 1, received: [] });
    b.inbox.gate = async () => undefined;
    b.slack.press("D1", ts, "No", "U1");
    expect((await pressed()).choice?.choiceId).toBe("no");
  });

  it("are a list where the bot may only respond", async () => {
    b = await setup();
    b.slack.room("C9", "channel", ["U1"]).members.delete(b.slack.workspace.botUser);
    b.slack.command("C9", "U1", "/hermes", "new");
    await b.slack.until(() => b.inbox.received.length > 0);
    const { origin } = b.inbox.received[0]!;
    const target = { chatId: "C9", chatType: "group", replyTo: origin.messageId! };
    const { messageIds } = await send(b.adapter, outbound(target, "Sure?", { question }), deadline());
    expect(b.slack.workspace.whispers).toMatchObject([{ text: "Sure?\n\n1. Yes\n2. No" }]);
    await b.adapter.settleQuestion(outbound(target, "").target, messageIds, "No.", deadline());
  });

  it("of a long question are below its sections, and take the place of a preview", async () => {
    b = await setup();
    const { target } = outbound({}, "");
    const replaces = (await b.adapter.show(target, null, "Let me", deadline()))!;
    const text = "All that I want to know. ".repeat(300);
    const { messageIds } = await send(b.adapter, outbound({}, text, { question, replaces }), deadline());
    const { blocks } = b.slack.workspace.find("D1", messageIds[0]);
    expect(blocks?.map(({ type }) => type)).toEqual(["section", "section", "section", "actions"]);
    await b.adapter.settleQuestion(target, messageIds, "No.", deadline());
    expect(b.slack.workspace.find("D1", messageIds[0])).toMatchObject({ text: "No.", blocks: [] });
  });
});
