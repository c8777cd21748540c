import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { modelAgent } from "../../src/agents/model.js";
import { configSchema } from "../../src/config/schema.js";
import type { Attachment } from "../../src/message.js";
import { ModelServer, refuses, says } from "../emulators/model-server.js";
import { plain, TestGateway, type TestGatewayOptions } from "../support/gateway.js";
import { PNG } from "../support/pictures.js";
import { tempDir } from "../support/temp.js";
import { inDm, TestAdapter } from "../support/test-adapter.js";

const ann = inDm("ann");
const URL_OF_PNG = `data:image/png;base64,${PNG.toString("base64")}`;

/** An image as downloaded by an adapter. */
function keep(test: TestGateway, name: string, content = PNG): Attachment {
  const file = `media/in/${name}`;
  fs.mkdirSync(path.join(test.home, "media/in"), { recursive: true });
  fs.writeFileSync(path.join(test.home, file), content);
  return { kind: "image", name: "cat.png", mimeType: "image/png", bytes: content.length, path: file };
}

async function withModel(options: TestGatewayOptions = {}) {
  const server = await ModelServer.start();
  onTestFinished(() => server.close());
  const { model } = configSchema.parse({
    model: { provider: "openai-compatible", default: "m", base_url: server.url },
  });
  const agent = modelAgent(model, { maxSteps: 3, pace: { retries: 0 } });
  return { server, test: await TestGateway.start({ ...options, agent }) };
}

const lastContent = (body: { messages: { content: unknown }[] }) => body.messages.at(-1)?.content;

describe("an image", () => {
  it("is sent to the model with the text, and stored as text", async () => {
    const { server, test } = await withModel();
    server.script(says("A cat."));
    await test.say(ann, "what is it?", { attachments: [keep(test, "1.png")] });
    await test.idle();
    const { body } = await server.received(1);
    const described = "what is it?\n[image: cat.png, image/png, 1 kB, at media/in/1.png]";
    expect(lastContent(body)).toEqual([
      { type: "text", text: described },
      { type: "image_url", image_url: { url: URL_OF_PNG } },
    ]);
    const session = await test.session(ann);
    const stored = await test.store.getMessages(session.id);
    expect(stored.map(({ role, content }) => [role, content])).toEqual([
      ["user", described],
      ["assistant", "A cat."],
    ]);

    await test.ask(ann, "and now?");
    expect(JSON.stringify((await server.received(2)).body)).not.toContain("image_url");
  });

  it("is described as text if it is too large, one too many, missing, or outside the home", async () => {
    const config = { media: { max_image_bytes: 100, max_images: 1 } };
    const { server, test } = await withModel({ config });
    fs.mkdirSync(path.join(test.home, "media/in"), { recursive: true });
    fs.writeFileSync(path.join(test.home, "secret.png"), PNG);
    fs.symlinkSync(path.join(test.home, "secret.png"), path.join(test.home, "media/in/link.png"));
    const at = (file: string): Attachment => ({ kind: "image", mimeType: "image/png", path: file });
    const wrong = [keep(test, "big.png", Buffer.concat([PNG, Buffer.alloc(100)])), at("media/in/gone.png")];
    const outside = [at("secret.png"), at("media/in/../../secret.png"), at("media/in/link.png")];
    for (const attachment of [...wrong, ...outside]) {
      await test.say(ann, "see", { attachments: [attachment] });
      await test.idle();
    }
    await test.say(ann, "two", { attachments: [keep(test, "1.png"), keep(test, "2.png")] });
    await test.idle();
    const contents = server.requests.map(({ body }) => JSON.stringify(lastContent(body)));
    expect(contents).toHaveLength(6);
    for (const content of contents.slice(0, 5)) {
      expect(content).not.toContain("base64");
      expect(content).toContain("1 of the images can't be shown");
    }
    expect(contents[5]!.match(/base64/g)).toHaveLength(1);
  });

  it("is omitted for a text-only model", async () => {
    const { server, test } = await withModel();
    server.script(refuses(404, "No endpoints found that support image input"));
    await test.say(ann, "what is it?", { attachments: [keep(test, "1.png")] });
    await test.idle();
    expect(server.requests).toHaveLength(2);
    expect(lastContent(server.requests[1]!.body)).toMatch(/what is it\?[\s\S]*can't see/);
    expect(test.adapter.sent).toMatchObject([{ kind: "answer" }]);
  });

  it("is mentioned by the echo agent", async () => {
    const test = await TestGateway.start();
    await test.say(ann, "look", { attachments: [keep(test, "1.png")] });
    await test.idle();
    expect(test.adapter.sent[0]!.text).toMatch(/look\n\[image: cat\.png.*\]\n\(1 picture seen\)$/);
  });

  it("shows why it wasn't downloaded", async () => {
    const test = await TestGateway.start();
    const problem = "It is larger than 20 MB";
    await test.say(ann, "look", { attachments: [{ kind: "video", name: "a.mp4", problem }] });
    await test.idle();
    expect(test.adapter.sent[0]!.text).toContain(`[video: a.mp4, ${problem}]`);
  });
});

describe("media files of chats", () => {
  it("are removed when they are old, and nothing else is", async () => {
    const test = await TestGateway.start({ config: { media: { retention_days: 7 } } });
    keep(test, "old.png");
    keep(test, "half.part");
    keep(test, "new.png");
    fs.mkdirSync(path.join(test.home, "media/out"), { recursive: true });
    fs.writeFileSync(path.join(test.home, "media/out/mine.txt"), "x");
    const long = new Date(Date.now() - 8 * 86_400_000);
    for (const name of ["in/old.png", "in/half.part", "out/mine.txt"])
      fs.utimesSync(path.join(test.home, "media", name), long, long);
    await test.sweep();
    expect(fs.readdirSync(path.join(test.home, "media/in"))).toEqual(["new.png"]);
    expect(fs.readdirSync(path.join(test.home, "media/out"))).toEqual(["mine.txt"]);
  });
});

describe("files in an answer", () => {
  const write = (test: TestGateway, name: string, content: Buffer | string = PNG) => {
    fs.mkdirSync(path.join(test.home, "media/out"), { recursive: true });
    fs.writeFileSync(path.join(test.home, "media/out", name), content);
  };

  it("are sent with it and recorded in its row", async () => {
    const test = await TestGateway.start();
    write(test, "plot.png");
    await test.ask(ann, "hello");
    expect(await test.ask(ann, "see\nMEDIA:media/out/plot.png")).toEqual(["see"]);
    const [sent] = test.adapter.sent.at(-1)!.files!;
    expect(sent).toMatchObject({ name: "plot.png", mimeType: "image/png", bytes: PNG.length });
    expect(fs.readFileSync(path.join(test.home, sent!.path))).toEqual(PNG);
    expect(test.adapter.previews.filter((text) => text.includes("MEDIA"))).toEqual([]);
    // The history has the agent's original text.
    const stored = await test.store.getMessages((await test.session(ann)).id);
    expect(stored.at(-1)!.content).toContain("MEDIA:media/out/plot.png");
  });

  it("are listed in the answer and its row if they may not be sent", async () => {
    const test = await TestGateway.start();
    await test.ask(ann, "hello");
    const [said] = await test.ask(ann, "see MEDIA:/etc/hostname.txt and MEDIA:config.yaml");
    expect(said).toMatch(/^see and\n\n⚠ hostname\.txt was not sent: .*\n\n⚠ config\.yaml was not sent: /);
    expect(test.adapter.sent.at(-1)!.files).toBeUndefined();
    const [trace] = await test.store.reports.traceMessage(`out:${test.adapter.sent.at(-1)!.id}`);
    expect(trace!.deliveries[0]!.files).toMatchObject([
      { name: "hostname.txt", problem: expect.any(String) },
      { name: "config.yaml", problem: expect.any(String) },
    ]);
  });

  it("come only from the configured folders", async () => {
    const dir = tempDir();
    fs.writeFileSync(path.join(dir, "a.txt"), "words");
    const test = await TestGateway.start({ config: { gateway: { media_delivery_allow_dirs: [dir] } } });
    await test.ask(ann, `MEDIA:${dir}/a.txt`);
    expect(test.adapter.sent.at(-1)!.files).toMatchObject([{ name: "a.txt", mimeType: "text/plain" }]);
  });
});

describe("files that arrive separately", () => {
  it("become one question on platforms that split albums, without delaying text", async () => {
    const album = new TestAdapter({ account: "album", afterAlbumMs: 500 });
    const gateway = await TestGateway.start({ bots: [album] });
    for (const name of ["a.png", "b.png"])
      await album.say(ann, "", { attachments: [{ kind: "image", name }], inAlbum: true });
    await gateway.idle();
    expect(album.to(ann).map(({ text }) => plain(text))).toEqual(["[image: a.png]\n[image: b.png]"]);
    await album.say(ann, "one");
    await gateway.idle();
    expect(album.to(ann).at(-1)).toMatchObject({ text: "one" });
  });
});
