import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_USER, terminalAdapter, terminalMessage } from "../../../src/adapters/cli/index.js";
import type { InputHistory } from "../../../src/cli/chat/history.js";
import { Conversation } from "../../../src/cli/chat/interactive.js";
import type { Picked } from "../../../src/cli/chat/questions.js";
import { ChatScreen } from "../../../src/cli/chat/screen.js";
import type { Terminal } from "../../../src/cli/chat/terminal.js";
import type { Tty } from "../../../src/cli/io.js";
import type { OutboundMessage } from "../../../src/message.js";
import { until } from "../../support/until.js";

const question = {
  id: "q1",
  choices: [
    { id: "once", label: "Allow **once**" },
    { id: "deny", label: "Deny" },
  ],
};

const target = {
  ...{ platform: "cli", account: "t", chatType: "dm", chatId: "t" },
  ...{ threadId: null, userId: LOCAL_USER, replyTo: null },
};

let ids = 0;

function outbound(text: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  ids += 1;
  return { id: ids, nonce: `n${ids}`, kind: "notice", target, text, turnId: null, ...more };
}

/** A conversation at a keyboard, with a turn that runs until `end`. */
function conversation() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let written = "";
  output.on("data", (data: Buffer) => {
    written += stripVTControlCharacters(String(data));
  });
  const screen = new ChatScreen(output as unknown as NodeJS.WriteStream);
  const said: string[] = [];
  const chosen: Picked[] = [];
  const ends: (() => void)[] = [];
  const terminal = {
    store: { listSessions: async () => [] },
    say: (text: string) => {
      said.push(text);
      return new Promise<undefined>((resolve) => ends.push(() => resolve(undefined)));
    },
    choose: async (picked: Picked) => void chosen.push(picked),
    interrupt: () => false,
  } as unknown as Terminal;
  const history = { add: async () => undefined } as unknown as InputHistory;
  const tty = { input, output } as unknown as Tty;
  const running = new Conversation({ terminal, screen, history, tty }, []).run();
  onTestFinished(async () => {
    input.write("\u0004");
    await running;
  });
  const enter = (text: string) => input.write(`${text}\r`);
  return { screen, said, chosen, enter, end: () => ends.shift()?.(), written: () => written };
}

describe("a question in a terminal", () => {
  it("is a numbered list; a number or a word answers it while its turn waits", async () => {
    const { screen, said, chosen, enter, written, end } = conversation();
    enter("delete it");
    await until("it is said", () => said.length === 1);
    screen.show(outbound("May I?", { question }));
    await until("it is shown", () => /May I\?\s+1\. Allow \*\*once\*\*\n2\. Deny\s+❯ $/.test(written()));
    enter("2");
    await until("it is answered", () => chosen.length === 1);
    expect(chosen).toEqual([{ questionId: "q1", choiceId: "deny", label: "Deny" }]);
    // Without a question it is a message that waits for the turn.
    enter("1");
    const decided = `out:${ids}`;
    screen.decide(decided, "May I?\n\nYou: deny");
    await until("the decision is shown", () => /You: deny/.test(written()));
    expect(written().match(/May I\?/g)).toHaveLength(1);
    expect(said).toEqual(["delete it"]);
    end();
    await until("the next message is said", () => said.length === 2);
    expect(said[1]).toBe("1");
  });

  it("passes other words on at once, and stays open", async () => {
    const { screen, said, chosen, enter } = conversation();
    enter("delete it");
    await until("it is said", () => said.length === 1);
    screen.show(outbound("May I?", { question }));
    enter("only the first");
    await until("it is said", () => said.length === 2);
    enter("allow **ONCE**");
    await until("it is answered", () => chosen.length === 1);
    expect(chosen[0]).toMatchObject({ choiceId: "once" });
  });

  it("that was decided elsewhere takes no answer", async () => {
    const { screen, said, chosen, enter, written, end } = conversation();
    enter("delete it");
    await until("it is said", () => said.length === 1);
    screen.show(outbound("May I?", { question }));
    screen.decide(`out:${ids}`, "It took too long.");
    await until("the decision is shown", () => /It took too long\./.test(written()));
    enter("2");
    end();
    await until("it is a message", () => said.length === 2);
    expect(chosen).toEqual([]);
  });
});

describe("the adapter of a terminal", () => {
  it("shows questions and decisions, and sends choices", async () => {
    const shown: unknown[] = [];
    const view = {
      preview: () => undefined,
      show: ({ question: asked }: OutboundMessage) => void shown.push(asked),
      decide: (...decided: string[]) => void shown.push(decided),
    };
    const adapter = terminalAdapter({ id: "t" }, view);
    const message = outbound("May I?", { question });
    const context = { index: 0, count: 1, sent: [], mayBeRepeat: false };
    const messageIds = await adapter.sendPart(message, {}, context, AbortSignal.timeout(1000));
    await adapter.settleQuestion(target, messageIds, "No.", AbortSignal.timeout(1000));
    expect(shown).toEqual([question, [messageIds[0], "No."]]);
    expect(adapter.unattended).toBeUndefined();
    expect(terminalAdapter({ id: "t", unattended: true }, view).unattended).toBe(true);
    const choice = { questionId: "q1", choiceId: "deny" };
    expect(terminalMessage({ id: "t" }, "Deny", choice)).toMatchObject({
      text: "Deny",
      choice,
      authenticated: true,
    });
  });
});
