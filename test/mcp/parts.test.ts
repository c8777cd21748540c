import { describe, expect, it } from "vitest";
import { homeMark, ownerMark, serverEnvironment } from "../../src/mcp/environment.js";
import { isWanted } from "../../src/mcp/filter.js";
import { LineLimit } from "../../src/mcp/line-limit.js";
import { mayMean, oldToolName, toolName } from "../../src/mcp/names.js";
import { isOrphan } from "../../src/mcp/orphans.js";
import { startOf } from "../../src/mcp/proc.js";
import { resultText } from "../../src/mcp/result.js";

describe("names", () => {
  it("have letters, digits and _ only, and at most 64 of them", () => {
    expect(toolName("my-server", "do.it now")).toBe("mcp__my_server__do_it_now");
    expect(oldToolName("my-server", "do.it")).toBe("mcp_my_server_do_it");
    const [a, b] = [toolName("s", `${"x".repeat(80)}a`), toolName("s", `${"x".repeat(80)}b`)];
    expect([a.length, b.length]).toEqual([64, 64]);
    expect(a).not.toBe(b);
  });

  it("in the configuration may mean a server that isn't connected", () => {
    for (const name of ["mcp-my.files", "mcp__my_files__read", "mcp_my_files_read"])
      expect(mayMean(name, "my.files")).toBe(true);
    expect(mayMean("mcp__other__read", "my.files")).toBe(false);
  });
});

it("filters by exact names and patterns; include wins", () => {
  const filter = { include: null, exclude: ["write_*"], resources: true, prompts: true };
  expect(["read", "write_file"].filter((name) => isWanted(name, filter))).toEqual(["read"]);
  expect(isWanted("write_file", { ...filter, include: ["write_file"] })).toBe(true);
  expect(isWanted("read", { ...filter, include: [] })).toBe(false);
});

describe("a limit of lines", () => {
  const lines = (limit: LineLimit, ...chunks: string[]) =>
    chunks.flatMap((chunk) => limit.push(Buffer.from(chunk)));

  it("passes lines on, however they are cut", () => {
    const limit = new LineLimit(20);
    expect(lines(limit, "one\ntw", "o\n", "\nthr", "ee")).toEqual(["one", "two", ""]);
    expect(limit.rest()).toBe("three");
  });

  it("keeps letters whole that chunks cut", () => {
    const [a, b] = [Buffer.from("ü\n").subarray(0, 1), Buffer.from("ü\n").subarray(1)];
    const limit = new LineLimit(20);
    expect([...limit.push(a), ...limit.push(b)]).toEqual(["ü"]);
  });

  it("answers a request whose answer is too long, by the id at either end", () => {
    const long = "x".repeat(4000);
    const error = (id: number) => ({ id, error: { message: expect.stringContaining("larger than") } });
    for (const [line, id, prefix] of [
      [`{"jsonrpc":"2.0","id":7,"result":"${long}"}`, 7, ""],
      [`{"result":{"a":"${long}"},"jsonrpc":"2.0","id":8}`, 8, ""],
      [`data: {"result":{"a":"${long}"},"jsonrpc":"2.0","id":9}`, 9, "data: "],
    ] as const) {
      const [found = ""] = lines(new LineLimit(1000), line.slice(0, 600), line.slice(600), "\nnext");
      expect(found.startsWith(prefix)).toBe(true);
      expect(JSON.parse(found.slice(prefix.length))).toMatchObject(error(id));
    }
    const limit = new LineLimit(1000);
    expect(lines(limit, `{"method":"x","params":"${long}"}\n`, "short\n")).toEqual(["", "short"]);
  });
});

it("finds processes of a gateway that is gone, of this home only", () => {
  const mark = ownerMark("/home/a", 4711);
  expect(isOrphan(`${homeMark("/home/a")}:4711:99`, "/home/a", () => undefined)).toBe(true);
  expect(isOrphan(`${homeMark("/home/a")}:4711:99`, "/home/a", () => "100")).toBe(true);
  expect(isOrphan(`${homeMark("/home/a")}:4711:99`, "/home/a", () => "99")).toBe(false);
  expect(isOrphan(`${homeMark("/home/b")}:4711:99`, "/home/a", () => undefined)).toBe(false);
  expect(isOrphan(ownerMark("/home/a"), "/home/a", startOf)).toBe(false);
  for (const other of [undefined, "", mark, "x:1:2"])
    expect(isOrphan(other, "/home/a", () => undefined)).toBe(false);
});

it("gives a server's process a few variables, its own ones and the mark", () => {
  const own = { PATH: "/bin", HOME: "/root", LANG: "C", SECRET_KEY: "x", HERMES_HOME: "/h" };
  expect(serverEnvironment(own, { LANG: "de", A: "1" }, "m")).toEqual({
    ...{ PATH: "/bin", HOME: "/root", LANG: "de", A: "1", HERMES_MCP_OWNER: "m" },
  });
});

it("turns results into text", () => {
  const data = "A".repeat(4096);
  const parts = [
    { type: "text", text: "one" },
    { type: "image", mimeType: "image/png", data },
    { type: "resource_link", name: "a", uri: "file:///a" },
    { type: "resource", resource: { uri: "b", text: "two" } },
  ] as const;
  expect(resultText({ content: [...parts] })).toBe(
    "one\n[an image, image/png, 3 KB, not shown]\n[a link to the resource a: file:///a]\ntwo",
  );
  expect(resultText({ content: [], structuredContent: { a: 1 } })).toBe('{"a":1}');
  expect(resultText({ content: [] })).toBe("(no output)");
  expect(resultText({ content: [{ type: "text", text: "no" }], isError: true })).toBe("Error: no");
  expect(resultText({ content: [{ type: "text", text: "Error: no" }], isError: true })).toBe("Error: no");
});
