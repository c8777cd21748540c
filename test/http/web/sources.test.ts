import { describe, expect, it } from "vitest";
import { sourcesOf } from "../../../src/http/web/sources.js";

const search = (...web: object[]) => ({
  tool: "web_search",
  result: JSON.stringify({ success: true, data: { web } }),
});
const extract = (...results: object[]) => ({
  tool: "web_extract",
  result: JSON.stringify({ success: true, results }),
});
const urls = (calls: Parameters<typeof sourcesOf>[0]) => sourcesOf(calls).map(({ url }) => url);

describe("sources of an answer", () => {
  it("are the pages that were read, then those that were found, each once", () => {
    const calls = [
      search({ url: "https://a.example/", title: "A" }, { url: "https://b.example/x", title: " B\n b " }),
      extract({ url: "https://b.example/x", title: "Page B" }, { url: "https://c.example", title: "" }),
    ];
    expect(sourcesOf(calls)).toEqual([
      { url: "https://b.example/x", host: "b.example", title: "Page B" },
      { url: "https://c.example/", host: "c.example", title: "c.example" },
      { url: "https://a.example/", host: "a.example", title: "A" },
    ]);
  });

  it("aren't pages that couldn't be read, or results of other tools", () => {
    const failed = extract({ url: "https://a.example/", error: "It could not be read: 404." });
    expect(urls([failed, { ...search({ url: "https://b.example/" }), tool: "mcp_search" }])).toEqual([]);
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "//a.example",
    "/login",
    "https://user:secret@a.example/",
    "https://google.com@evil.example/",
    `https://a.example/${"x".repeat(3000)}`,
    7,
    null,
  ])("never are %s", (url) => {
    expect(urls([search({ url, title: "x" }), extract({ url, title: "x" })])).toEqual([]);
  });

  it.each([
    "",
    "{",
    "null",
    "[1]",
    '{"data":null}',
    '{"data":{"web":"x"}}',
    '{"results":[null,1,[]]}',
    "Error: x",
  ])("are none in a result like %s", (result) => {
    expect(urls(["web_search", "web_extract"].map((tool) => ({ tool, result })))).toEqual([]);
  });

  it("are a dozen at most, with titles of a length that can be read", () => {
    const many = Array.from({ length: 100 }, (_, i) => ({
      url: `https://${i}.example/`,
      title: "x".repeat(5000),
    }));
    const sources = sourcesOf([search(...many)]);
    expect(sources).toHaveLength(12);
    expect(sources[0]!.title).toHaveLength(160);
  });
});
