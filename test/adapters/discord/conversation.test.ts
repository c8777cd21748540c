import { describe, expect, it } from "vitest";
import { until } from "../../support/until.js";
import { answer, connected, soon } from "./support.js";

describe("a conversation with Discord", () => {
  it("takes a direct message in and answers it, quoting the question", async () => {
    const { emulator, inbox, adapter } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    const asked = emulator.say(ada, dm, "hello");
    const message = await inbox.message("hello");
    expect(message.origin).toMatchObject({ chatType: "dm", chatId: dm.id, userId: ada.id, userName: "Ada" });
    const receipt = await adapter.send(answer(message, "**Hi** Ada"), soon());
    expect(emulator.said(dm)).toMatchObject([
      { id: receipt.messageIds[0], text: "**Hi** Ada", replyTo: asked.id },
    ]);
    expect(adapter.health().state).toBe("ok");
    expect(adapter.account).toBe(emulator.botId);
  });

  it("leaves nothing running after a disconnect", async () => {
    const { emulator, adapter } = await connected();
    const before = performance.now();
    await adapter.disconnect();
    expect(performance.now() - before).toBeLessThan(1000);
    await until("the socket is closed", () => emulator.gateway.sockets === 0);
    expect(adapter.health().state).toBe("down");
  });
});
