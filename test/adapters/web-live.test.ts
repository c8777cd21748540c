import { describe, expect, it } from "vitest";
import type { NoticeMessage } from "../../src/adapters/web/api.js";
import { Live } from "../../src/adapters/web/live.js";
import { DEFAULT_BOUNDS } from "../../src/adapters/web/types.js";

const place = { person: "ann", conversationId: "c1" };
const notice = (id: string, at = 100): NoticeMessage => ({
  ...{ from: "gateway", kind: "question", id, position: 0, at, text: "Which one?", files: [], buttons: [] },
});

describe("messages of the gateway that were just sent", () => {
  it("are known for their own conversation, until they are decided or old", () => {
    const live = new Live(DEFAULT_BOUNDS);
    const tell = (message: NoticeMessage, conversationId = "c1", person = "ann") =>
      live.tell(person, { type: "message", conversationId, message });
    tell(notice("old", 39));
    tell(notice("first"));
    tell(notice("second"));
    tell(notice("elsewhere"), "c2");
    tell(notice("bob's"), "c1", "bob");
    const ids = () => live.noticesAt(place, 40).map(({ id }) => id);
    expect(ids()).toEqual(["first", "second"]);
    live.tell("ann", { type: "decided", conversationId: "c1", messageId: "first", text: "Tea" });
    expect(ids()).toEqual(["second"]);
  });
});
