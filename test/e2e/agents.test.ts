import { describe, expect, it } from "vitest";
import { scripted } from "../agents/acp/scripted.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";
import { WebClient } from "../support/web-client.js";

/** The real program with an ACP agent, really killed. */

async function started(env: Record<string, string> = {}) {
  const agent = scripted();
  const yaml = `http: {port: 0}\nagent: {backend: acp}\nacp: ${JSON.stringify(agent.settings)}\n`;
  const daemon = await new Daemon({ yaml }).start(env);
  const person = new WebClient(() => daemon.url);
  const answers = async () =>
    (await person.log()).filter(({ kind }) => kind === "answer" || kind === "notice");
  return { agent, daemon, person, answers };
}

describe("a gateway that dies while an ACP agent works", () => {
  it("sends the prompt once, asks the agent to continue, and answers once", async () => {
    const { agent, daemon, person, answers } = await started();
    await person.send("!wait for it");
    await until("the prompt arrives", () => agent.prompts().length === 1);
    await daemon.kill();
    await until("the agent ended with it", () => agent.alive().length === 0);
    await daemon.start();
    await until("it is answered", async () => (await answers()).length === 1);
    expect(agent.prompts()).toHaveLength(2);
    expect(agent.prompts()[1]).toContain("was interrupted");
    await person.send("next");
    await until("the next one is answered", async () => (await answers()).length === 2);
    expect((await answers())[1]!.text).toBe("you said: next");
    await daemon.kill("SIGTERM");
    expect(agent.alive()).toEqual([]);
  });

  it("leaves no processes behind, even of an agent that doesn't end by itself", async () => {
    const { agent, daemon, person, answers } = await started();
    await person.send("!deaf");
    await until("its child runs", () => agent.alive().length === 2);
    await daemon.kill();
    await daemon.start();
    await until("it is answered", async () => (await answers()).length === 1);
    expect(agent.alive()).toHaveLength(1);
    await daemon.kill("SIGTERM");
    expect(agent.alive()).toEqual([]);
  });

  it("right before the prompt is sent sends it after the restart, once", async () => {
    const { agent, daemon, person, answers } = await started({ HERMES_KILL_AT: "prompt-recorded" });
    await person.send("do it");
    await daemon.run.ended;
    expect(agent.prompts()).toEqual([]);
    await daemon.start();
    await until("it is answered", async () => (await answers()).length === 1);
    expect(agent.prompts()).toEqual([expect.stringContaining("do it")]);
    expect((await answers())[0]!.text).toBe("you said: do it");
  });

  it("before the agent's first update doesn't send the prompt again", async () => {
    const { agent, daemon, person, answers } = await started();
    await person.send("!mute please");
    await until("the prompt arrives", () => agent.prompts().length === 1);
    await daemon.kill();
    await daemon.start();
    await until("it is answered", async () => (await answers()).length === 1);
    expect(agent.prompts()).toHaveLength(2);
    expect(agent.prompts()[1]).toContain("was interrupted");
  });

  it("right after the agent's first update asks it to continue", async () => {
    const { agent, daemon, person, answers } = await started({ HERMES_KILL_AT: "prompt-arrived" });
    await person.send("!slow");
    await daemon.run.ended;
    await daemon.start();
    await until("it is answered", async () => (await answers()).length === 1);
    expect(agent.prompts().filter((prompt) => !prompt.includes("was interrupted"))).toHaveLength(1);
  });
});
