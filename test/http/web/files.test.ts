import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Upload } from "../../../src/adapters/web/api.js";
import { PNG } from "../../support/pictures.js";
import { ScriptedAgent } from "../../support/scripted-agent.js";
import { tempDir } from "../../support/temp.js";
import { until } from "../../support/until.js";
import { Browser, startWebChat, texts } from "../../support/web-chat.js";

const upload = (browser: Browser, name: string, bytes: Uint8Array, type = "application/octet-stream") =>
  browser.ask<Upload>("POST", `files?name=${encodeURIComponent(name)}`, bytes, { "content-type": type });

describe("files in the web chat", () => {
  it("are kept under random names, and come back to their person alone", async () => {
    const home = tempDir();
    const agent = new ScriptedAgent([{ say: ["Nice picture."] }]);
    const { url } = await startWebChat({ agent, home });
    const [ann, bob] = [new Browser(url!), new Browser(url!)];
    const { status, body } = await upload(ann, "../../evil/cat.png", PNG, "text/html");
    expect([status, body]).toMatchObject([201, { name: "cat.png", mimeType: "image/png", picture: true }]);
    expect(fs.readdirSync(path.join(home, "media/in")).join()).not.toContain("cat");
    const own = await ann.ask("GET", `files/${body.id}`);
    expect(own.status).toBe(200);
    expect(own.headers.get("content-type")).toBe("image/png");
    expect(own.headers.get("x-content-type-options")).toBe("nosniff");
    expect(own.headers.get("content-security-policy")).toContain("sandbox");
    expect((await bob.ask("GET", `files/${body.id}`)).status).toBe(404);
    const id = randomUUID();
    const stolen = await bob.ask("POST", `conversations/${id}/messages`, {
      ...{ clientId: randomUUID(), text: "look", files: [body.id] },
    });
    expect(stolen.status).toBe(404);
    await ann.send(id, "look", { files: [body.id] });
    const open = await ann.settled(id);
    expect(texts(open)).toEqual(["user: look", "agent: Nice picture."]);
    expect(open.messages[0]).toMatchObject({ files: [{ id: body.id, name: "cat.png", picture: true }] });
    expect(JSON.stringify(agent.requests[0]?.input)).toContain("image");
    await ann.ask("DELETE", `conversations/${id}`);
    expect(fs.readdirSync(path.join(home, "media/in"))).toEqual([]);
    expect((await ann.ask("GET", `files/${body.id}`)).status).toBe(404);
  });

  it("are downloads unless they are pictures", async () => {
    const { url } = await startWebChat({ agent: new ScriptedAgent([{ say: ["ok"] }]) });
    const ann = new Browser(url!);
    for (const [name, text] of [
      ["page.html", "<script>alert(1)</script>"],
      ["drawing.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"],
    ] as const) {
      const { body } = await upload(ann, name, new TextEncoder().encode(text), "image/png");
      const { headers } = await ann.ask("GET", `files/${body.id}`);
      expect(headers.get("content-type"), name).toBe("application/octet-stream");
      expect(headers.get("content-disposition"), name).toMatch(/^attachment/);
    }
  });

  it("have a limit", async () => {
    const yaml = "media: {max_download_bytes: 1048576}\n";
    const { url } = await startWebChat({ agent: new ScriptedAgent([{ say: ["ok"] }]), yaml });
    const ann = new Browser(url!);
    expect((await upload(ann, "big", new Uint8Array(1_100_000))).status).toBe(413);
    expect((await upload(ann, "fits", new Uint8Array(1_000_000))).status).toBe(201);
  });

  it("go with a question that is asked again", async () => {
    const agent = new ScriptedAgent([{ say: ["Nice."] }]);
    const { url } = await startWebChat({ agent });
    const ann = new Browser(url!);
    const { body } = await upload(ann, "cat.png", PNG);
    const id = randomUUID();
    await ann.send(id, "", { files: [body.id] });
    await ann.settled(id);
    await ann.ask("POST", `conversations/${id}/regenerate`, { clientId: randomUUID() });
    const open = await ann.settled(id);
    expect(open.messages[0]).toMatchObject({ from: "user", text: "", files: [{ name: "cat.png" }] });
    expect(agent.requests).toHaveLength(2);
    expect(JSON.stringify(agent.requests[1]?.input)).toContain("image");
  });

  it("of answers are shown with them, without those that may not be sent", async () => {
    const home = tempDir();
    const file = path.join(home, "media/out/report.txt");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "the report");
    const { url } = await startWebChat({
      home,
      agent: new ScriptedAgent([{ say: [`Here it is.\nMEDIA:${home}/state.db\nMEDIA:${file}`] }]),
    });
    const [ann, bob] = [new Browser(url!), new Browser(url!)];
    const id = randomUUID();
    await ann.send(id, "the report, please");
    const answer = await until("its file is shown", async () => {
      const [, last] = (await ann.open(id)).messages;
      return last?.files.length === 1 && last;
    });
    expect(answer).toMatchObject({ files: [{ name: "report.txt", picture: false }] });
    expect("text" in answer && answer.text).toContain("Here it is.");
    const link = answer.files[0]!.url.replace("/api/web/", "");
    expect((await ann.ask("GET", link)).body).toBe("the report");
    expect((await bob.ask("GET", link)).status).toBe(404);
  });
});
