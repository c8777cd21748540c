import { describe, expect, it } from "vitest";
import type { Me } from "../../src/adapters/web/api.js";
import { Browser, startWebChat } from "../support/web-chat.js";
import { hermes, hermesJson, runHermes, temporaryFolder } from "./support/run.js";

describe("hermes web", () => {
  it("makes a link for the operator, and lists who is signed in where", async () => {
    const home = temporaryFolder();
    const { url } = await startWebChat({ home });
    expect(await hermes(home, "web", "people")).toContain("No person has signed in");
    const link = new URL((await hermes(home, "web", "link")).trim());
    expect(`${link.origin}${link.pathname}`).toBe(`${url}/login/link`);
    const owner = new Browser(url!);
    const { body } = await owner.ask<Me>("POST", "login/link", { code: link.hash.slice(1) });
    expect(body.person.owner).toBe(true);
    expect(await hermesJson(home, "web", "people")).toMatchObject([
      { id: body.person.id, owner: true, devices: [{ id: body.person.deviceId, label: "A browser" }] },
    ]);
    expect(await hermes(home, "web", "people")).toMatch(/web:[0-9a-f]{32} +\(owner\) +A browser/);
  });

  it("sets a password from standard input, and removes it", async () => {
    const home = temporaryFolder();
    const { url } = await startWebChat({ home });
    const login = (password: string) =>
      new Browser(url!).ask("POST", "login/password", { name: "Ann", password });
    const short = await runHermes(home, ["web", "password", "Ann"], "short\n");
    expect(short).toMatchObject({ code: 1, stderr: expect.stringContaining("10 to 200 characters") });
    expect(await runHermes(home, ["web", "password", "Ann"], "a long password\n")).toMatchObject({ code: 0 });
    expect(await hermesJson(home, "web", "password")).toEqual({ names: ["Ann"] });
    expect((await login("a long password")).status).toBe(200);
    await hermes(home, "web", "password", "ann", "--remove");
    expect((await login("a long password")).status).toBe(403);
    expect(await runHermes(home, ["web", "password", "ann", "--remove"])).toMatchObject({ code: 1 });
  });

  it("explains how to start a gateway if none is running", async () => {
    const { code, stderr } = await runHermes(temporaryFolder(), ["web", "link"]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("hermes gateway") });
  });
});
