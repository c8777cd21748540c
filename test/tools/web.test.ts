import dns from "node:dns";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { webExtractTool } from "../../src/tools/builtin/web-extract.js";
import { webSearchTool } from "../../src/tools/builtin/web-search.js";
import { readArticle } from "../../src/tools/web/article-thread.js";
import { fetchPage, PUBLIC_NETWORK, type WebNetwork } from "../../src/tools/web/fetch-page.js";
import { plainPage } from "../../src/tools/web/plain-page.js";
import type { SearchSettings } from "../../src/tools/web/search.js";
import { hostileTexts } from "../support/growth.js";
import { use } from "../support/tool-call.js";

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

async function serve(handler: Handler): Promise<string> {
  const server = http.createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** For a server of this test: as the public internet, but for its own address. */
const networkWith = (origin: string): WebNetwork => ({
  ...PUBLIC_NETWORK,
  refusal: (url) => (url.origin === origin ? undefined : PUBLIC_NETWORK.refusal(url)),
});

const signal = new AbortController().signal;
const page = (title: string, body: string) =>
  `<!doctype html><html><head><title>${title}</title><script>evil()</script></head><body>${body}</body></html>`;
const PARAGRAPH = `<p>${"The walrus is a large animal that lives in the north. ".repeat(12)}</p>`;

interface Extracted {
  url: string;
  title?: string;
  content?: string;
  error?: string;
}

async function extract(urls: unknown, network?: WebNetwork): Promise<Extracted[]> {
  return (await use(webExtractTool(network), { urls })).results as Extracted[];
}

describe("web_extract", () => {
  it("gives the article of a page as Markdown", async () => {
    const origin = await serve((_, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(
        page(
          "Walruses",
          `<nav><a href="/a">Menu</a></nav><article><h2>Life</h2>${PARAGRAPH}<ul><li>tusks</li></ul>
           <p>See <a href="/more">more</a> and <a href="javascript:x()">this</a>.</p><pre>a  b</pre>${PARAGRAPH}</article>`,
        ),
      );
    });
    const [found] = await extract([`${origin}/walrus`], networkWith(origin));
    expect(found).toMatchObject({ url: `${origin}/walrus`, title: "Walruses" });
    expect(found!.content).toContain("## Life");
    expect(found!.content).toContain("- tusks");
    expect(found!.content).toContain(`[more](${origin}/more) and this.`);
    expect(found!.content).toContain("```\na  b\n```");
    expect(found!.content).not.toMatch(/evil|javascript:/);
  });

  it("decodes what the page declares, also compressed, and gives other text as it is", async () => {
    const origin = await serve((request, response) => {
      if (request.url === "/json") {
        response.setHeader("content-type", "application/json");
        return response.end('{"a":1}');
      }
      response.setHeader("content-type", "text/html");
      response.setHeader("content-encoding", "gzip");
      response.end(gzipSync(Buffer.from('<meta charset="iso-8859-1"><p>caf\xe9</p>', "latin1")));
    });
    const found = await extract([`${origin}/json`, `${origin}/page`], networkWith(origin));
    expect(found.map(({ content }) => content)).toEqual(['{"a":1}', "café"]);
  });

  it("refuses addresses that aren't public, in the first place and after a redirect", async () => {
    const origin = await serve((_, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end();
    });
    const refused = [
      ...[
        "http://127.0.0.1/",
        "http://localhost:1/",
        "http://x.localhost/",
        "http://[::1]/",
        "http://10.0.0.1/",
      ],
      ...[
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::ffff:127.0.0.1]/",
        "file:///etc/passwd",
        "ftp://a.b/",
      ],
      ...["https://user:pass@example.com/", "not a url", "http://localhost./"],
    ];
    for (const url of refused) {
      const [found] = await extract([url]);
      expect(found?.error, url).toMatch(/public|http|password|URL/);
    }
    const [moved] = await extract([`${origin}/`], networkWith(origin));
    expect(moved?.error).toContain("169.254.169.254 is not a public address");
  });

  it("refuses names that look up to private addresses", async () => {
    const private4 = { ...PUBLIC_NETWORK };
    const { lookup } = dns;
    onTestFinished(() => {
      dns.lookup = lookup;
    });
    dns.lookup = ((_: string, __: object, done: (e: null, found: object[]) => void) =>
      done(null, [
        { address: "93.184.216.34", family: 4 },
        { address: "10.0.0.7", family: 4 },
      ])) as unknown as typeof dns.lookup;
    await expect(fetchPage("http://rebinding.example/", signal, private4)).rejects.toThrow("private network");
  });

  it("explains what can't be read", async () => {
    const origin = await serve((request, response) => {
      if (request.url === "/file") return response.setHeader("content-type", "application/pdf").end("%PDF");
      if (request.url === "/gone") return response.writeHead(404).end();
      if (request.url === "/loop") return response.writeHead(302, { location: "/loop" }).end();
      response.setHeader("content-type", "text/html");
      const chunk = Buffer.alloc(1_000_000, "a ");
      const write = () => response.write(chunk, () => !response.destroyed && write());
      write();
    });
    const urls = ["/file", "/gone", "/loop", "/endless"].map((path) => origin + path);
    const errors = (await extract(urls, networkWith(origin))).map(({ error }) => error);
    expect(errors[0]).toContain("a file of the type application/pdf");
    expect(errors[1]).toContain("HTTP 404");
    expect(errors[2]).toContain("redirects too often");
    expect(errors[3]).toContain("larger than 5 MB");
  });

  it("takes five addresses at most, and cuts long pages", async () => {
    const origin = await serve((_, response) => {
      response.setHeader("content-type", "text/plain").end("x".repeat(200_000));
    });
    const urls = Array.from({ length: 6 }, (_, i) => `${origin}/${i}`);
    expect(await use(webExtractTool(), { urls })).toMatchObject({ success: false });
    expect(await use(webExtractTool(), {})).toMatchObject({ error: "urls is missing." });
    const found = await extract(urls.slice(1), networkWith(origin));
    for (const { content } of found) expect(content!.length).toBeLessThan(9100);
    expect(found[0]!.content).toContain("[… cut: the page has 200000 characters]");
  });

  it("stops with its signal", async () => {
    const origin = await serve(() => undefined);
    const stop = new AbortController();
    const running = fetchPage(origin, stop.signal, networkWith(origin));
    stop.abort(new Error("stopped"));
    await expect(running).rejects.toThrow("stopped");
  });
});

describe("a hostile page", () => {
  it("ends its thread at the deadline or at its memory, and plain text is left", async () => {
    const deep = `<html><body>${"<div><b>".repeat(200_000)}words${PARAGRAPH}</body></html>`;
    expect(await readArticle({ html: deep, url: "https://a.example/" }, signal, 300)).toBeUndefined();
    expect(plainPage(deep)).toContain("walrus");
  });

  it("never throws into the gateway", async () => {
    for (const [name, text] of hostileTexts(4000).slice(0, 12)) {
      const html = page(name, text);
      await readArticle({ html, url: "https://a.example/" }, signal);
      plainPage(html);
    }
  });

  it("is plain text without scripts, styles and comments", () => {
    expect(plainPage("<p>a &amp; b<script>x<y</script><style>p{}</style><!-- c --><br>d<li>e")).toBe(
      "a & b\nd\ne",
    );
    expect(plainPage("a<!-- never closed")).toBe("a");
    expect(plainPage("a<script>never closed")).toBe("anever closed");
    expect(plainPage("1 < 2")).toBe("1");
  });
});

describe("web_search", () => {
  const NONE: SearchSettings = { backend: null, searxngUrl: null, braveKey: null, tavilyKey: null };
  const json =
    (body: unknown, seen: { url: string; init: RequestInit }[] = []): typeof fetch =>
    async (url, init) => {
      seen.push({ url: String(url), init: init ?? {} });
      return Response.json(body);
    };
  const HIT = { title: "Walrus", url: "https://a.example/", content: "Large" };
  const FOUND = { title: "Walrus", url: "https://a.example/", description: "Large", position: 1 };

  it("names the missing setting", () => {
    expect(webSearchTool(NONE).unavailable?.()).toContain("web.searxng_url (SEARXNG_URL)");
    expect(webSearchTool({ ...NONE, backend: "brave-free" }).unavailable?.()).toBe(
      "set web.brave_api_key (BRAVE_SEARCH_API_KEY)",
    );
    expect(webSearchTool({ ...NONE, backend: "exa" }).unavailable?.()).toContain(
      "use searxng, brave, tavily",
    );
    expect(webSearchTool({ ...NONE, tavilyKey: "k" }).unavailable?.()).toBeUndefined();
  });

  it("asks SearXNG on a private network", async () => {
    const asked: string[] = [];
    const origin = await serve((request, response) => {
      asked.push(request.url ?? "");
      response.end(
        JSON.stringify({ results: [HIT, { title: "no address" }, { ...HIT, url: "nonsense" }, HIT] }),
      );
    });
    const tool = webSearchTool({ ...NONE, searxngUrl: `${origin}/` });
    expect(await use(tool, { query: "big & grey", limit: 1 })).toEqual({
      success: true,
      data: { web: [FOUND] },
    });
    expect(asked).toEqual(["/search?q=big+%26+grey&format=json"]);
  });

  it("asks Brave and Tavily with their keys", async () => {
    const seen: { url: string; init: RequestInit }[] = [];
    const brave = { web: { results: [{ ...HIT, content: undefined, description: "Large" }] } };
    const first = await use(webSearchTool({ ...NONE, braveKey: "b" }, json(brave, seen)), {
      query: "walrus",
    });
    const second = await use(webSearchTool({ ...NONE, tavilyKey: "t" }, json({ results: [HIT] }, seen)), {
      query: "walrus",
    });
    expect([first, second]).toEqual([1, 2].map(() => ({ success: true, data: { web: [FOUND] } })));
    expect(seen[0]).toMatchObject({
      url: "https://api.search.brave.com/res/v1/web/search?q=walrus&count=5",
      init: { headers: { "x-subscription-token": "b" } },
    });
    expect(seen[1]).toMatchObject({
      url: "https://api.tavily.com/search",
      init: { body: '{"query":"walrus","max_results":5}', headers: { authorization: "Bearer t" } },
    });
  });

  it("reports failures to the model", async () => {
    const origin = await serve((request, response) => {
      if (request.url?.includes("broken")) response.end("<html>");
      else response.writeHead(403).end();
    });
    const tool = webSearchTool({ ...NONE, searxngUrl: origin });
    expect(await use(tool, { query: "x" })).toMatchObject({
      error: expect.stringContaining("HTTP 403 (a SearXNG"),
    });
    expect(await use(tool, { query: "broken" })).toMatchObject({ error: expect.stringContaining("failed") });
    expect(await use(tool, { query: "x".repeat(500) })).toMatchObject({ success: false });
    expect(await use(tool, {})).toMatchObject({ error: "query is missing." });
  });
});
