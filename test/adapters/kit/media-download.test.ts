import { once } from "node:events";
import fs from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DownloadOptions,
  MediaDownloads,
  type MediaSource,
} from "../../../src/adapters/kit/media-download.js";
import { MediaProblem, NOT_FETCHED } from "../../../src/media/incoming.js";
import { inboundMessage } from "../../support/inbound-message.js";
import { tempDir } from "../../support/temp.js";

const server = http.createServer((request, response) => {
  if (request.url === "/file") response.end("hello");
  else if (request.url === "/secret") response.end(request.headers.authorization ?? "no header");
  else if (request.url === "/endless") response.write("some");
  else if (request.url?.startsWith("/to?")) {
    const location = decodeURIComponent(request.url.slice("/to?".length));
    response.writeHead(302, { location }).end();
  } else response.writeHead(404).end();
});
let origin = "";

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function fetchOne(
  source: MediaSource | (() => MediaSource | Promise<MediaSource>),
  changes: Partial<DownloadOptions> & { maxBytes?: number; mayFetch?: boolean; signal?: AbortSignal } = {},
) {
  const { maxBytes = 1000, mayFetch = true, signal = new AbortController().signal, ...rest } = changes;
  const home = tempDir();
  const downloads = new MediaDownloads({
    label: "Pigeon",
    media: { home, folder: "media", maxBytes, mayFetch: async () => mayFetch },
    timeoutMs: 5000,
    isOwn: (url) => url.origin === origin,
    ...rest,
  });
  const locate = typeof source === "function" ? source : () => source;
  const file = { attachment: { kind: "document" as const, mimeType: "text/plain" }, locate };
  const [attachment] = await downloads.fetchAll(inboundMessage({}), [file], signal);
  const content = attachment?.path && (await fs.readFile(path.join(home, attachment.path), "utf8"));
  return { content, problem: attachment?.problem };
}

describe("MediaDownloads", () => {
  it("fetches a file from the platform's own server", async () => {
    expect(await fetchOne({ url: `${origin}/file` })).toEqual({ content: "hello", problem: undefined });
    const headers = { authorization: "Bearer x" };
    expect(await fetchOne({ url: `${origin}/secret`, headers })).toMatchObject({ content: "Bearer x" });
  });

  it("keeps bytes that the platform gave itself", async () => {
    expect(await fetchOne({ body: [Buffer.from("by"), Buffer.from("tes")] })).toMatchObject({
      content: "bytes",
    });
    const tooLong = await fetchOne({ body: [Buffer.alloc(2000)] });
    expect(tooLong.problem).toContain("larger than");
  });

  it("leaves files alone that aren't wanted", async () => {
    const source = () => {
      throw new Error("located");
    };
    expect(await fetchOne(source, { mayFetch: false })).toMatchObject({ problem: NOT_FETCHED });
  });

  it("names the problem that a person should read, and no other", async () => {
    const missing = () => Promise.reject(new MediaProblem("It is gone"));
    expect(await fetchOne(missing)).toMatchObject({ problem: "It is gone" });
    const broken = () => Promise.reject(new Error("token 123"));
    expect(await fetchOne(broken)).toMatchObject({ problem: "It could not be fetched" });
    expect((await fetchOne({ url: `${origin}/none` })).problem).toContain("404");
  });

  it.each(["not a url", "file:///etc/passwd", "https://elsewhere.example/file", "http://localhost:1/"])(
    "fetches nothing from %s",
    async (url) => {
      expect(await fetchOne({ url })).toMatchObject({ problem: "It is not on Pigeon's servers" });
    },
  );

  it.each([
    "http://example.com/file",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://localhost/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest",
    "https://user:password@example.com/",
  ])("fetches nothing from %s although public addresses are allowed", async (url) => {
    expect(await fetchOne({ url }, { allowPublic: true })).toMatchObject({
      problem: "It is not on Pigeon's servers",
    });
  });

  it.each(["https://localhost./", "https://pigeon.localhost/"])(
    "refuses %s, whose name leads to this machine",
    async (url) => {
      expect(await fetchOne({ url }, { allowPublic: true })).toMatchObject({
        problem: "It could not be fetched",
      });
    },
  );

  it("follows redirects only as far as allowed, and checks each", async () => {
    const to = (target: string) => ({ url: `${origin}/to?${encodeURIComponent(target)}` });
    expect((await fetchOne(to("/file"))).problem).toContain("redirects");
    expect(await fetchOne(to("/file"), { maxRedirects: 1 })).toMatchObject({ content: "hello" });
    const inside = to("https://127.0.0.1:1/");
    expect(await fetchOne(inside, { maxRedirects: 3, allowPublic: true })).toMatchObject({
      problem: "It is not on Pigeon's servers",
    });
    const loop = to(`/to?${encodeURIComponent("/file")}`);
    expect((await fetchOne(loop, { maxRedirects: 1 })).problem).toContain("redirects");
  });

  it("gives up on a file that doesn't end, and on a locate that never settles", async () => {
    expect(await fetchOne({ url: `${origin}/endless` }, { timeoutMs: 50 })).toMatchObject({
      problem: "It could not be fetched",
    });
    expect(await fetchOne(() => new Promise(() => {}), { timeoutMs: 20 })).toMatchObject({
      problem: "It could not be fetched",
    });
  });

  it("rejects when the signal aborts", async () => {
    const stop = new AbortController();
    const fetching = fetchOne({ url: `${origin}/endless` }, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error("stopped")), 20);
    await expect(fetching).rejects.toThrow("stopped");
  });
});
