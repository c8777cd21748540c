import { describe, expect, it } from "vitest";
import type { Adapter, CanAsk } from "../../src/adapters/adapter.js";
import { type InboundMessage, targetOf } from "../../src/message.js";
import type { OutboundQuestion } from "../../src/question.js";
import { send } from "../support/send.js";
import { until } from "../support/until.js";
import { connected, open, type Place, type Platform, type Scene, type Seen } from "./stage.js";
import { answer, failure, needing, soon } from "./tell.js";

const CHOICES = [
  { id: "once", label: "Allow once", style: "primary" },
  { id: "always", label: "Always allow" },
  { id: "deny", label: "Deny", style: "danger" },
] as const;
const LABELS = CHOICES.map(({ label }) => label);

let questions = 0;

type Asking = Scene & {
  adapter: Adapter & CanAsk;
  place: Place;
  /** The message that the question is about. */
  said: InboundMessage;
  question: OutboundQuestion;
  messageIds: string[];
  /** The message with the buttons, as people see it. */
  shown(): Seen;
};

interface Asked {
  kind?: string;
  text?: string;
  choices?: OutboundQuestion["choices"];
}

/** A question below a message of a person. */
async function asking(platform: Platform, asked: Asked = {}): Promise<Asking> {
  const { kind = platform.kinds[0]!, text = "May I?", choices = CHOICES } = asked;
  const scene = (await connected(platform)) as Scene & { adapter: Adapter & CanAsk };
  const place = scene.stage.place(kind);
  place.say("delete it");
  const said = await scene.inbox.message("delete it");
  questions += 1;
  const question = { id: `q${questions}`, choices };
  const { messageIds } = await send(scene.adapter, answer(said, text, { question }), soon());
  const shown = () => place.seen().find(({ id }) => id === messageIds.at(-1))!;
  await until("the question is seen", () => shown() !== undefined);
  return { ...scene, place, said, question, messageIds, shown };
}

function pressesIn({ inbox }: Scene): InboundMessage[] {
  return inbox.received.filter(({ choice }) => choice !== undefined);
}

function pressed(scene: Scene): Promise<InboundMessage> {
  return until("the press is received", () => pressesIn(scene)[0]);
}

export function asks(platform: Platform): void {
  if (!platform.can.includes("ask")) return;

  describe("a question", () => {
    it.each(platform.kinds)("is shown with its choices, and a press answers it: %s", async (kind) => {
      const scene = await asking(platform, { kind });
      const { place, question, said, adapter, shown } = scene;
      expect(shown()).toMatchObject({ text: "May I?", buttons: LABELS });
      const userId = place.press!(shown(), "Always allow");
      const { origin, ...press } = await pressed(scene);
      expect(press).toMatchObject({
        platform: adapter.platform,
        account: adapter.account,
        eventId: expect.stringMatching(/./),
        text: "Always allow",
        choice: { questionId: question.id, choiceId: "always" },
        mentioned: adapter.platform !== "web",
        isBot: false,
        authenticated: said.authenticated,
      });
      expect(origin).toMatchObject({ ...chatOf(said), userId });
      expect(origin.threadId ?? null).toBe(said.origin.threadId ?? null);
      // An answer to the press goes to the chat of the question.
      const before = place.seen().length;
      await send(adapter, answer(targetOf({ ...press, origin }), "Done."), soon());
      await until("it is seen", () => place.seen().length > before);
      expect(place.seen().at(-1)!.text).toBe("Done.");
    });

    it("has its press acknowledged only when the inbox has it", async () => {
      const { stage, inbox, place, shown } = await asking(platform);
      inbox.hold();
      const offered = inbox.offered.length;
      place.press!(shown(), "Deny");
      await until("it is offered", () => inbox.offered.length > offered);
      expect(stage.pressesAcknowledged!()).toBe(0);
      inbox.letIn();
      await until("it is acknowledged", () => stage.pressesAcknowledged!() === 1);
    });

    it("is answered once by a press that is delivered twice", async () => {
      const scene = await asking(platform);
      if (platform.lacks.repeats === undefined) scene.stage.repeat();
      scene.place.press!(scene.shown(), "Deny");
      await pressed(scene);
      scene.place.say("go on");
      await scene.inbox.message("go on");
      expect(pressesIn(scene)).toHaveLength(1);
    });

    it("can be answered after the inbox failed, if need be by a second press", async () => {
      const scene = await asking(platform);
      scene.inbox.failures = 1;
      scene.place.press!(scene.shown(), "Deny");
      await until("the inbox failed", () => scene.inbox.failures === 0);
      expect(scene.shown().buttons).toEqual(LABELS);
      scene.place.press!(scene.shown(), "Deny");
      expect((await pressed(scene)).choice?.choiceId).toBe("deny");
    });

    needing(platform, "other people")("carries the id of another person who presses", async () => {
      const scene = await asking(platform, { kind: platform.kinds[1]! });
      const userId = scene.place.press!(scene.shown(), "Allow once", "another person");
      const { origin } = await pressed(scene);
      expect(userId).not.toBe(scene.said.origin.userId);
      expect(origin).toMatchObject({ ...chatOf(scene.said), userId });
    });

    const settled = platform.lacks.settling === undefined;
    it.each(settled ? platform.kinds.slice(0, 2) : [])(
      "loses its buttons when it is decided: %s",
      async (kind) => {
        const { adapter, said, messageIds, place, shown } = await asking(platform, { kind });
        for (let again = 0; again < 2; again++) {
          await adapter.settleQuestion(targetOf(said), messageIds, "May I? **Ann**: no.", soon());
          await until("it is decided", () => (shown().buttons ?? []).length === 0);
          expect(shown().text.replaceAll("*", "")).toBe("May I? Ann: no.");
        }
        expect(place.seen()).toHaveLength(1);
      },
    );

    it("that is gone can be decided", async () => {
      const { adapter, said, messageIds } = await asking(platform);
      const gone = messageIds.map((id) => id.replace(/\d/g, "9"));
      await adapter.settleQuestion(targetOf(said), gone, "No.", soon());
      await adapter.settleQuestion(targetOf(said), [], "No.", soon());
    });

    needing(platform, "settling")("can be decided with any text", async () => {
      const { adapter, said, messageIds, shown } = await asking(platform);
      const long = `${"All that was asked. ".repeat(3000)}\n\nAnn: no.`;
      for (const text of [long, "<b>&*_`", ""]) {
        await adapter.settleQuestion(targetOf(said), messageIds, text, soon());
        await until("it is decided", () => (shown().buttons ?? []).length === 0);
        if (text === long) expect(shown().text).toContain("Ann: no.");
      }
    });

    needing(platform, "splitting")("of several parts has its buttons below the last one", async () => {
      const text = "One more reason. ".repeat(2000);
      const { adapter, said, messageIds, place } = await asking(platform, { text });
      const before = place.seen();
      expect(messageIds.length).toBeGreaterThan(1);
      expect(before.map(({ id }) => id)).toEqual(messageIds);
      const none = before.slice(0, -1).map(({ buttons = [] }) => buttons.length);
      expect(new Set(none)).toEqual(new Set([0]));
      expect(before.at(-1)!.buttons).toEqual(LABELS);
      if (!settled) return;
      await adapter.settleQuestion(targetOf(said), messageIds, "No.", soon());
      expect(place.seen().slice(0, -1)).toEqual(before.slice(0, -1));
      expect(place.seen().at(-1)).toMatchObject({ text: "No." });
      expect(place.seen().at(-1)!.buttons ?? []).toEqual([]);
    });

    it("has hostile labels as they are, but short", async () => {
      const hostile = [
        "**bold** <b>tag</b> & `code` [a](https://b.c) :+1: <@U1>",
        "👩‍👩‍👧‍👦".repeat(500),
        "x".repeat(10_000),
        "\u202edrowssap\u0000\r\n two  lines",
        "\ud83d alone",
        " \n ",
      ];
      const choices = hostile.map((label, i) => ({ id: `c${i}`, label }));
      const scene = await asking(platform, { choices });
      const buttons = scene.shown().buttons!;
      expect(buttons).toHaveLength(hostile.length);
      expect(hostile[0]!.startsWith(buttons[0]!.replace(/…$/, ""))).toBe(true);
      for (const label of buttons) expect(label.length).toBeLessThanOrEqual(200);
      expect(buttons[2]).toMatch(/^x+…$/);
      expect(buttons.slice(3)).toEqual(["drowssap two lines", "alone", "c5"]);
      scene.place.press!(scene.shown(), buttons[1]!);
      expect((await pressed(scene)).choice?.choiceId).toBe("c1");
    });

    it("has as many choices as the platform takes, and renders with more", async () => {
      const many = (count: number) =>
        Array.from({ length: count }, (_, i) => ({ id: `c${i}`, label: `Choice ${i}` }));
      const { maxChoices } = (await open(platform)).adapter as Adapter & CanAsk;
      const { shown, adapter, said } = await asking(platform, { choices: many(maxChoices) });
      expect(shown().buttons).toEqual(many(maxChoices).map(({ label }) => label));
      for (const question of [
        { id: "q", choices: many(maxChoices + 1) },
        { id: "q", choices: [] },
        { id: "Not an id", choices: [{ id: "é".repeat(100), label: "?" }] },
      ]) {
        expect(adapter.render(answer(said, "Which?", { question }))).toHaveLength(1);
        expect(adapter.render(answer(said, " ", { question }))).toHaveLength(1);
        await send(adapter, answer(said, "Which?", { question }), soon());
      }
    });

    needing(platform, "network")("can't be decided before there is a connection", async () => {
      const { adapter } = (await open(platform)) as Scene & { adapter: Adapter & CanAsk };
      const { platform: name, account } = adapter;
      const target = { platform: name, account, chatType: "dm", chatId: "1", threadId: null };
      const settling = adapter.settleQuestion(
        { ...target, userId: null, replyTo: null },
        ["1"],
        "No",
        soon(),
      );
      expect((await failure(settling)).outcome).toBe("never_sent");
    });
  });
}

function chatOf({ origin: { platform, chatType, chatId, guildId, parentChatId } }: InboundMessage) {
  return Object.fromEntries(
    Object.entries({ platform, chatType, chatId, guildId, parentChatId }).filter(([, value]) => value),
  );
}
