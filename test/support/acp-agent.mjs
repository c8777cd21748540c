/**
 * A scripted ACP agent for tests. The words of a prompt decide what it does; every prompt that arrives is appended to the file
 * ACP_LOG, one JSON line each. ACP_OPTIONS: comma-separated list of load, resume, login.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { agent, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";

const options = (process.env.ACP_OPTIONS ?? "load").split(",");
const log = (entry) => {
  if (process.env.ACP_LOG)
    fs.appendFileSync(process.env.ACP_LOG, `${JSON.stringify({ pid: process.pid, ...entry })}\n`);
};
/** Every prompt that it got in the session, by an earlier process, too. */
const told = (sessionId) =>
  fs
    .readFileSync(process.env.ACP_LOG, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
    .flatMap((entry) => (entry.prompt && entry.sessionId === sessionId ? entry.prompt : []));
const known = new Set();
const cancelled = new Map();
const pending = [];

const app = agent({ name: "scripted" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: options.includes("load"),
      sessionCapabilities: options.includes("resume") ? { resume: {} } : {},
    },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (options.includes("login")) throw RequestError.authRequired();
    const sessionId = randomUUID();
    known.add(sessionId);
    log({ new: sessionId, cwd: params.cwd, env: Object.keys(process.env).toSorted() });
    return { sessionId };
  })
  .onRequest(methods.agent.session.load, async ({ params: { sessionId }, client }) => {
    log({ load: sessionId });
    if (sessionId.startsWith("gone")) throw RequestError.sessionNotFound(sessionId);
    known.add(sessionId);
    for (const text of told(sessionId))
      await update(client, sessionId, {
        sessionUpdate: "user_message_chunk",
        content: { type: "text", text },
      });
    await say(client, sessionId, "replayed words");
    return {};
  })
  .onRequest(methods.agent.session.resume, ({ params: { sessionId } }) => {
    log({ resume: sessionId });
    known.add(sessionId);
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const text = prompt.map((block) => block.text ?? `[${block.type}]`).join("\n");
    log({ prompt: text, sessionId });
    if (!known.has(sessionId)) throw RequestError.sessionNotFound(sessionId);
    const word = /!(\w+)/.exec(text.split("\n").at(-1))?.[1];
    return (
      (await SCRIPTS[word]?.(client, sessionId, text)) ??
      answer(client, sessionId, `you said: ${text.split("\n").at(-1)}`)
    );
  })
  .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => {
    log({ cancel: sessionId });
    cancelled.get(sessionId)?.();
  });

const update = (client, sessionId, update) =>
  client.notify(methods.client.session.update, { sessionId, update });
const say = (client, sessionId, text) =>
  update(client, sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
async function answer(client, sessionId, text) {
  await say(client, sessionId, text);
  return { stopReason: "end_turn" };
}
const step = (client, sessionId, more) =>
  update(client, sessionId, {
    sessionUpdate: "tool_call",
    toolCallId: "c1",
    title: "List files",
    kind: "execute",
    status: "pending",
    ...more,
  });

const SCRIPTS = {
  async slow(client, sessionId) {
    for (const word of ["one ", "two ", "three"]) {
      await say(client, sessionId, word);
      await update(client, sessionId, {
        sessionUpdate: "agent_thought_chunk",
        content: { type: "text", text: "hm" },
      });
      await sleep(20);
    }
    return { stopReason: "end_turn" };
  },
  async tool(client, sessionId) {
    await say(client, sessionId, "Looking.");
    await step(client, sessionId);
    await update(client, sessionId, {
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      status: "completed",
    });
    return answer(client, sessionId, "Found it.");
  },
  async ask(client, sessionId) {
    const toolCall = {
      toolCallId: "c1",
      title: "rm -rf /tmp/x",
      kind: "execute",
      rawInput: { command: "rm -rf /tmp/x" },
    };
    const choices = [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "ever", name: "Always", kind: "allow_always" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ];
    const { outcome } = await client.request(methods.client.session.requestPermission, {
      sessionId,
      toolCall,
      options: choices,
    });
    return answer(client, sessionId, `permission: ${outcome.optionId ?? outcome.outcome}`);
  },
  async crash(client, sessionId) {
    await say(client, sessionId, "I will");
    console.error("something broke");
    process.exit(3);
  },
  /** Leaves a child behind, and ignores its cancellation. */
  async deaf(client, sessionId) {
    spawn("sleep", ["1000"], { stdio: "ignore" });
    await say(client, sessionId, "busy");
    await new Promise(() => undefined);
  },
  /** Reports what it used: the cost is that of the session. */
  async usage(client, sessionId) {
    const cost = { amount: told(sessionId).length * 0.25, currency: "USD" };
    await update(client, sessionId, { sessionUpdate: "usage_update", used: 900, size: 1000, cost });
    await say(client, sessionId, "counted");
    const usage = { totalTokens: 160, inputTokens: 100, outputTokens: 60, cachedReadTokens: 40 };
    return { stopReason: "end_turn", usage };
  },
  /** Gives no sign. */
  mute: () => new Promise(() => undefined),
  async wait(client, sessionId) {
    await say(client, sessionId, "waiting");
    await new Promise((resolve) => cancelled.set(sessionId, resolve));
    return { stopReason: "cancelled" };
  },
  /** Two prompts are answered in the opposite order. */
  async pair(client, sessionId, text) {
    await new Promise((resolve) => {
      pending.unshift(resolve);
      if (pending.length === 2)
        void (async () => {
          for (const next of pending.splice(0)) {
            next();
            await sleep(10);
          }
        })();
    });
    return answer(client, sessionId, `answer to ${text.split("\n").at(-1)}`);
  },
  huge: (client, sessionId) => answer(client, sessionId, "x".repeat(33 * 1024 * 1024)),
  refuse: () => ({ stopReason: "refusal" }),
};

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
