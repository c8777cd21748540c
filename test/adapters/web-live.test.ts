import { describe, expect, it } from "vitest";
import type { NoticeMessage } from "../../src/adapters/web/api.js";
import { Live } from "../../src/adapters/web/live.js";
import { DEFAULT_BOUNDS } from "../../src/adapters/web/types.js";

const ref = { person: "ann", conversationId: "c1" };
const notice = (id: string, at = 100): NoticeMessage => ({
  ...{ from: "gateway", kind: "question", id, position: 0, at, text: "Which one?", files: [], buttons: [] },
});

describe("messages of the gateway that were just sent", () => {
  it("are known for their own conversation, until they are decided or old", () => {
    const live = new Live(DEFAULT_BOUNDS);
    const publish = (message: NoticeMessage, conversationId = "c1", person = "ann") =>
      live.publish(person, { type: "message", conversationId, message });
    publish(notice("old", 39));
    publish(notice("first"));
    publish(notice("second"));
    publish(notice("elsewhere"), "c2");
    publish(notice("bob's"), "c1", "bob");
    const ids = () => live.noticesAt(ref, 40).map(({ id }) => id);
    expect(ids()).toEqual(["first", "second"]);
    live.publish("ann", { type: "decided", conversationId: "c1", messageId: "first", text: "Tea" });
    expect(ids()).toEqual(["second"]);
  });
});
