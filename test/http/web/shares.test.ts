import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Share, SharedConversation } from "../../../src/adapters/web/api.js";
import { ScriptedAgent } from "../../support/scripted-agent.js";
import { Browser, startWebChat } from "../../support/web-chat.js";

async function talked(yaml = "") {
  const { url, store } = await startWebChat({ agent: new ScriptedAgent([{ say: ["An answer."] }]), yaml });
  const [ann, bob] = [new Browser(url!), new Browser(url!)];
  const id = randomUUID();
  await ann.send(id, "a question");
  await ann.settled(id);
  return { ann, bob, id, store };
}

const read = (browser: Browser, { path }: Share) =>
  browser.ask<SharedConversation>("GET", path.replace("/shared/", "shared/"));

describe("shared conversations", () => {
  it("are snapshots for people with the link, until they are revoked", async () => {
    const { ann, bob, id } = await talked();
    const { status, body: link } = await ann.ask<Share>("POST", `conversations/${id}/shares`, { days: 2 });
    expect([status, link]).toMatchObject([201, { conversationId: id, title: "a question" }]);
    expect(link.expiresAt - link.createdAt).toBeCloseTo(2 * 86_400, -1);
    await ann.send(id, "a later secret");
    await ann.settled(id);
    const shared = await read(bob, link);
    expect(shared.body).toMatchObject({
      ...{
        title: "a question",
        messages: [
          { from: "user", text: "a question" },
          { from: "agent", text: "An answer." },
        ],
      },
    });
    expect(shared.headers.get("x-robots-tag")).toContain("noindex");
    expect(await ann.get("shares")).toMatchObject({ shares: [{ id: link.id, path: link.path }] });
    expect(await bob.get("shares")).toEqual({ shares: [] });
    expect((await bob.ask("DELETE", `shares/${link.id}`)).status).toBe(404);
    expect((await ann.ask("DELETE", `shares/${link.id}`)).status).toBe(204);
    expect((await read(bob, link)).status).toBe(404);
  });

  it("can only be made by their person, and go with the conversation", async () => {
    const { ann, bob, id } = await talked();
    expect((await bob.ask("POST", `conversations/${id}/shares`, {})).status).toBe(404);
    const { body: link } = await ann.ask<Share>("POST", `conversations/${id}/shares`, {});
    await ann.ask("DELETE", `conversations/${id}`);
    expect((await read(bob, link)).status).toBe(404);
  });

  it("can be turned off", async () => {
    const { ann, id } = await talked("web_chat: {sharing: false}\n");
    expect((await ann.ask("POST", `conversations/${id}/shares`, {})).status).toBe(403);
    expect(await ann.get("me")).toMatchObject({ features: { sharing: false } });
  });

  it("need no token", async () => {
    const { url } = await startWebChat({ yaml: "http: {token: a-token-for-the-server}\n" });
    const response = await fetch(`${url}/api/web/shared/${"x".repeat(32)}`);
    expect(response.status).toBe(404);
    expect((await fetch(`${url}/api/web/me`)).status).toBe(401);
  });
});
