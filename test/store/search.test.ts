import { describe, expect, it } from "vitest";
import { sanitizeFtsQuery } from "../../src/store/shared/query.js";
import type { OpenedStore } from "../../src/store/sqlite/index.js";
import type { SearchOptions } from "../../src/store/store.js";
import { tempStore } from "../support/temp.js";
import { vectors } from "../support/vectors.js";

interface Vector {
  input: string;
  output: string;
  path: "fts" | "trigram" | "like" | "empty";
  fts5_accepts?: boolean;
  result_ids: number[];
  trigram_query?: string;
}
const all = vectors<Vector[]>("fts-sanitize-vectors");
const accepted = all.filter((vector) => vector.fts5_accepts);
const refused = all.filter((vector) => vector.fts5_accepts === false);
const { corpus } = vectors<{ corpus: { id: number; role: string; content: string }[] }>("fts-search-corpus");

async function storeWith(
  contents: readonly (string | { role: string; content: string })[],
): Promise<OpenedStore> {
  const { store } = await tempStore();
  await store.createSession({ id: "s1", source: "telegram", user_id: "u1", started_at: 1 });
  const messages = contents.map((c) =>
    typeof c === "string" ? { role: "user", content: c } : { role: c.role, content: c.content },
  );
  await store.appendMessages(
    "s1",
    messages.map((message, i) => ({ ...message, timestamp: 100 + i })),
  );
  return store;
}

const find = async (store: OpenedStore, query: string, options?: SearchOptions) =>
  (await store.searchMessages(query, options)).hits.map((hit) => hit.id);

describe("a query that the original accepted", () => {
  it.each(accepted)("cleans $input to the letter", ({ input, output }) => {
    expect(sanitizeFtsQuery(input)).toBe(output);
  });

  it("finds the same messages in the same order", async () => {
    const store = await storeWith(corpus);
    for (const { input, result_ids } of accepted) expect(await find(store, input), input).toEqual(result_ids);
  });

  it("uses the same index", async () => {
    const store = await storeWith(corpus);
    for (const { input, path, trigram_query } of accepted) {
      const { plan } = await store.searchMessages(input);
      expect(plan.path, input).toBe(path);
      if (trigram_query) expect(plan.match).toBe(trigram_query);
    }
  });
});

describe("a query without results in the original", () => {
  it("finds the expected messages in the original's corpus", async () => {
    const store = await storeWith(corpus);
    const expected: Record<string, number[]> = {
      "/usr/local/bin": [7],
      "100%": [10],
      "foo -bar": [3],
      "-foo": [3],
      "foo.": [3],
      ".foo": [3],
      "foo AND AND bar": [3],
      "100% 部署": [10, 4],
      "AND OR NOT": [7],
    };
    for (const [query, ids] of Object.entries(expected)) expect(await find(store, query), query).toEqual(ids);
  });

  it.each(refused)("$input isn't a syntax error", async ({ input }) => {
    const store = await storeWith(corpus);
    await expect(store.searchMessages(input)).resolves.toBeDefined();
  });

  it.each([
    ["it's", "Well, it's done"],
    ["user@example.com", "write to user@example.com today"],
    ["/usr/local/bin", "it lies in /usr/local/bin here"],
    ["foo, bar", "first foo, then bar"],
    ["C++", "I like C++ a lot"],
    ["#hashtag", "see #hashtag"],
    ["100%", "100% sure"],
    ["50% off!", "everything 50% off!"],
    ["what?", "so what? nothing"],
    ["[link](url)", "a [link](url) in it"],
    ["don't panic", "please don't panic now"],
    ["--yes", "pass --yes to it"],
    ["a=b&c=d", "the url had a=b&c=d in it"],
    ["🎉", "well done 🎉 everybody"],
    ["~/.hermes", "look into ~/.hermes please"],
    ["$HOME", "echo $HOME"],
    ["naïve café", "a NAIVE Cafe owner"],
  ])("%s", async (query, text) => {
    const store = await storeWith(["something else entirely", text]);
    expect(await find(store, query)).toEqual([2]);
  });
});

describe("AND, OR and NOT", () => {
  const texts = ["alpha 大别山项目 部署", "alpha only", "只有 大别山项目", "只有 部署", "beta"];
  it.each([
    ["alpha NOT 大别山", [2]],
    ["alpha AND 大别山", [1]],
    ["alpha OR 大别山", [3, 2, 1]],
    ["beta OR 大别山 AND alpha", [5, 1]],
    ["大别山 NOT alpha", [3]],
    ["大别山 NOT 部署", [3]],
    ["部署 AND alpha", [1]],
    ["部署 NOT alpha", [4]],
    ["部署 OR beta", [5, 4, 1]],
    ["alpha NOT 部署", [2]],
    ["alpha AND NOT 部署", [2]],
  ] as const)("mean the same on every path: %s", async (query, ids) => {
    const store = await storeWith(texts);
    expect(await find(store, query, { sort: "newest" })).toEqual(ids);
  });

  it("rejects OR NOT with an explanation", async () => {
    const store = await storeWith(texts);
    await expect(store.searchMessages("a OR NOT b")).rejects.toMatchObject({
      code: "invalid",
      hint: expect.any(String),
    });
  });
});

describe("short Chinese, Japanese and Korean", () => {
  it("is found anywhere, even at the end", async () => {
    const store = await storeWith(["去广西看漓江", "看漓江", "漓江", "大江东去", "江", "한국", "テ"]);
    expect(await find(store, "漓江")).toEqual([3, 2, 1]);
    expect(await find(store, "江", { sort: "oldest" })).toEqual([1, 2, 3, 4, 5]);
    expect(await find(store, "한국")).toEqual([6]);
    expect(await find(store, "テ")).toEqual([7]);
  });

  it("is found in structured content and in tool calls", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "s", source: "cli" });
    const ids = await store.appendMessages("s", [
      { role: "user", content: [{ type: "text", text: "看图 桂林" }] },
      {
        role: "assistant",
        tool_calls: [{ id: "1", function: { name: "search", arguments: '{"q":"桂林山水"}' } }],
      },
    ]);
    expect(await find(store, "桂林", { sort: "oldest" })).toEqual(ids);
    expect(await find(store, "桂林山")).toEqual([ids[1]]);
  });
});

describe("a search", () => {
  it("rejects an empty query", async () => {
    const store = await storeWith(["x"]);
    await expect(store.searchMessages("  ")).rejects.toMatchObject({
      code: "invalid",
      hint: expect.any(String),
    });
  });

  it("marks matches and shows neighbouring messages", async () => {
    const store = await storeWith(["before", "the docker deployment failed", "after"]);
    const { hits } = await store.searchMessages("docker");
    expect(hits[0]).toMatchObject({
      snippet: "the >>>docker<<< deployment failed",
      source: "telegram",
      session_id: "s1",
    });
    expect(hits[0]?.context.map((c) => c.content)).toEqual([
      "before",
      "the docker deployment failed",
      "after",
    ]);
  });

  it("marks matches that FTS5 doesn't mark", async () => {
    const store = await storeWith(["去看漓江吧"]);
    expect((await store.searchMessages("漓江")).hits[0]?.snippet).toBe("去看>>>漓江<<<吧");
  });

  it("never shows undone messages, not even as context", async () => {
    const store = await storeWith(["keep docker", "secret 漓江 大别山项目 docker 🎉"]);
    await store.undoTurns("s1");
    for (const query of ["secret", "漓江", "大别山", "大别山 OR docker", "🎉", "漓江 OR docker"]) {
      const { hits } = await store.searchMessages(query);
      expect(JSON.stringify(hits), query).not.toContain("secret");
    }
    for (const sort of ["newest", "oldest"] as const)
      expect(await find(store, "docker", { sort })).toEqual([1]);
  });

  it("filters by source, role and time", async () => {
    const store = await storeWith(["docker one", { role: "assistant", content: "docker two" }]);
    await store.createSession({ id: "s2", source: "cli" });
    await store.appendMessages("s2", [{ role: "user", content: "docker three", timestamp: 500 }]);
    const sorted = { sort: "oldest" } as const;
    expect(await find(store, "docker", { ...sorted, sources: ["cli"] })).toEqual([3]);
    expect(await find(store, "docker", { ...sorted, excludeSources: ["cli"] })).toEqual([1, 2]);
    expect(await find(store, "docker", { ...sorted, roles: ["assistant"] })).toEqual([2]);
    expect(await find(store, "docker", { ...sorted, since: 101 })).toEqual([2, 3]);
    expect(await find(store, "docker", { ...sorted, until: 101 })).toEqual([1]);
    expect(await find(store, "docker", { ...sorted, limit: 1, offset: 1 })).toEqual([2]);
  });

  it("shows a person their own sessions and the rooms they took part in", async () => {
    const store = await storeWith(["docker of u1"]);
    await store.createSession({ id: "s2", source: "telegram", user_id: "u2" });
    await store.appendMessages("s2", [{ role: "user", content: "docker of u2" }]);
    const u1 = { platform: "telegram", userId: "u1" };
    for (const query of ["docker", "docker OR 大别山", "docker OR 漓江"]) {
      expect(await find(store, query, { asker: u1, sort: "newest" })).toEqual([1]);
      expect(await find(store, query, { asker: { platform: "discord", userId: "u1" } })).toEqual([]);
    }
    await store.addParticipant("s2", u1);
    expect(await find(store, "docker", { asker: u1, sort: "newest" })).toEqual([2, 1]);
    expect(await find(store, "docker", { asker: { ...u1, owner: true }, sort: "newest" })).toEqual([2, 1]);
  });

  it("sorts by time even if rows were written out of order, for few and many matches", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "s", source: "cli" });
    const order = Array.from({ length: 3000 }, (_, i) => (i * 7919) % 3000);
    await store.appendMessages(
      "s",
      order.map((at) => ({ role: "user", content: at < 5 ? "rare common" : "common", timestamp: at })),
    );
    const times = async (query: string, sort: "newest" | "oldest") =>
      (await store.searchMessages(query, { sort, limit: 5, offset: 0 })).hits.map((hit) => hit.timestamp);
    expect(await times("common", "newest")).toEqual([2999, 2998, 2997, 2996, 2995]);
    expect(await times("common", "oldest")).toEqual([0, 1, 2, 3, 4]);
    expect(await times("rare", "newest")).toEqual([4, 3, 2, 1, 0]);
  });

  it("finds parts of words on request", async () => {
    const store = await storeWith(["redeployment", "nothing"]);
    expect(await find(store, "deploy")).toEqual([]);
    expect(await find(store, "DEPLOY", { substring: true })).toEqual([1]);
    expect(await find(store, "deploy NOT redeploy", { substring: true })).toEqual([]);
  });

  it("rejects a query that is too long", async () => {
    const store = await storeWith(["x"]);
    await expect(store.searchMessages("word ".repeat(100))).rejects.toMatchObject({ code: "invalid" });
  });
});
