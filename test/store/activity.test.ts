import { expect, it } from "vitest";
import { tempStore } from "../support/temp.js";

it("returns messages after a position, page by page, without tool results and copies", async () => {
  const { store } = await tempStore();
  await store.createSession({ id: "a", source: "test" });
  await store.appendMessages("a", [{ role: "user", content: "before" }]);
  const { next: start, events: none } = await store.reports.readActivity({ after: null });
  expect(none).toEqual([]);
  await store.appendMessages("a", [
    { role: "user", content: "one" },
    { role: "assistant", content: "" },
    { role: "tool", content: "result" },
    { role: "assistant", content: "two" },
  ]);
  await store.splitSession({
    parentId: "a",
    childId: "b",
    messages: [{ role: "user", content: "a summary" }],
  });
  const at = Date.now() / 1000 + 1;
  await store.appendMessages("b", [{ role: "user", content: "three", timestamp: at }]);
  const said: string[] = [];
  let after = start;
  for (let round = 0; round < 5; round++) {
    const { events, next } = await store.reports.readActivity({ after, limit: 1 });
    said.push(...events.map((event) => (event.type === "message" ? event.message.text : event.type)));
    after = next;
  }
  expect(said).toEqual(["one", "two", "three"]);
  expect(await store.reports.readActivity({ after })).toEqual({ events: [], next: after });
  await expect(store.reports.readActivity({ after: "nonsense" })).rejects.toThrow("Invalid position");
});
