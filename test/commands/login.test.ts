import { describe, expect, it } from "vitest";
import { webPersonOf } from "../../src/policies/web-person.js";
import { endLoginCode, findLogin } from "../../src/sessions/web-login.js";
import { TestGateway } from "../support/gateway.js";
import { inDm, inGroup } from "../support/test-adapter.js";

const config = { web_chat: { url: "https://chat.example.org/" } };

describe("/login", () => {
  it("gives a person the link to their own web chat, once", async () => {
    const test = await TestGateway.start({ config });
    const reply = (await test.ask(inDm("ann"), "/login")).join("\n");
    const code = /^https:\/\/chat\.example\.org\/login\/link#([\w-]{32})$/m.exec(reply)?.[1];
    expect(reply).toContain("once, within ten minutes");
    const login = await findLogin(test.store, code!);
    expect(login).toMatchObject({ person: webPersonOf("test:ann"), owner: false });
    await endLoginCode(test.store, login!.id);
    expect(await findLogin(test.store, code!)).toBeUndefined();
  });

  it("makes owners owners there", async () => {
    const test = await TestGateway.start({ config: { ...config, owners: ["test:ann"] } });
    const code = /#([\w-]{32})$/m.exec((await test.ask(inDm("ann"), "/login")).join())?.[1];
    expect(await findLogin(test.store, code!)).toMatchObject({ owner: true });
  });

  it("isn't given away in a room", async () => {
    const test = await TestGateway.start({
      config,
      platform: { group_policy: "open", require_mention: false },
    });
    const [reply] = await test.ask(inGroup("ann"), "/login");
    expect(reply).toContain("Ask me in a direct message");
  });
});
