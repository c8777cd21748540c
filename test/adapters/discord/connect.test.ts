import { describe, expect, it } from "vitest";
import { send } from "../../support/send.js";
import { until } from "../../support/until.js";
import { answer, connected, FakeInbox, makeAdapter, soon, startEmulator } from "./support.js";

describe("the connection", () => {
  it("resumes after a lost connection and gets missed messages once", async () => {
    const { emulator, inbox } = await connected();
    const ada = emulator.user("Ada");
    emulator.say(ada, emulator.dm(ada), "before");
    await inbox.message("before");
    emulator.gateway.cut();
    emulator.say(ada, emulator.dm(ada), "meanwhile");
    await inbox.message("meanwhile");
    expect(emulator.gateway).toMatchObject({ identifies: 1, resumes: 1 });
    expect(inbox.copies).toEqual([]);
  });

  it("resumes when Discord requests a reconnect", async () => {
    const { emulator, inbox } = await connected();
    emulator.gateway.askToReconnect();
    await until("it resumes", () => emulator.gateway.resumes === 1);
    const ada = emulator.user("Ada");
    emulator.say(ada, emulator.dm(ada), "after");
    await inbox.message("after");
    expect(emulator.gateway.identifies).toBe(1);
  });

  it("notices a dead connection that is still open", async () => {
    const { emulator } = await connected({}, { heartbeatMs: 60 });
    emulator.faults.deafToHeartbeats = true;
    await until("it resumes", () => emulator.gateway.resumes > 0);
    emulator.faults.deafToHeartbeats = false;
  });

  it("identifies again when the session is gone, and fetches missed messages", async () => {
    const { emulator, inbox } = await connected();
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.say(ada, dm, "before");
    await inbox.message("before");
    emulator.gateway.forgetSessions();
    emulator.gateway.cut();
    emulator.say(ada, dm, "missed");
    await inbox.message("missed");
    await until("it identifies", () => emulator.gateway.identifies === 2);
    expect(inbox.texts).toEqual(["before", "missed"]);
  });

  it("doesn't identify when the day's connects are nearly used up", async () => {
    const emulator = await startEmulator();
    emulator.leaveIdentifies(3);
    const { adapter, stop } = makeAdapter(emulator);
    await adapter.connect(new FakeInbox(), stop.signal);
    expect(adapter.health().detail).toMatch(/Only 3 connects/);
    expect(emulator.gateway.identifies).toBe(0);
  });

  it("leaves no half-open socket behind", async () => {
    const { emulator, adapter } = await connected();
    emulator.faults.hangHandshakes = true;
    emulator.gateway.cut();
    await until("it tries to connect", () => emulator.connectAttempts > 0);
    await adapter.disconnect();
    await until("all is closed", async () => (await emulator.openSockets()) === 0);
  });

  it("pauses between failed connects, and logs them once", async () => {
    const { emulator, lines } = await connected({}, { heartbeatMs: 10_000 });
    const before = emulator.connectAttempts;
    emulator.faults.closeAfterHello = 4000;
    emulator.gateway.close(4000);
    await until("it has failed a few times", () => emulator.connectAttempts > before + 2);
    expect(lines.filter(({ message }) => /4000/.test(message))).toHaveLength(1);
    emulator.faults.closeAfterHello = null;
    await until("it is back", () => emulator.gateway.connected);
    expect(emulator.gateway.identifies).toBe(1);
  });
});

describe("a refused connection", () => {
  it("explains that an intent is switched off in the portal", async () => {
    const emulator = await startEmulator();
    emulator.allowIntents(0x7fff_ffff & ~(1 << 15));
    const { adapter, stop } = makeAdapter(emulator);
    await expect(adapter.connect(new FakeInbox(), stop.signal)).rejects.toThrow(/Message Content Intent/);
    expect(adapter.health()).toMatchObject({
      state: "down",
      detail: expect.stringMatching(/Message Content/),
    });
    await until("nothing is left", () => emulator.gateway.sockets === 0);
    expect(emulator.gateway.identifies).toBe(1);
  });

  it("works again after the intent was switched on", async () => {
    const emulator = await startEmulator();
    emulator.allowIntents(0);
    const { adapter, stop } = makeAdapter(emulator);
    await expect(adapter.connect(new FakeInbox(), stop.signal)).rejects.toThrow();
    emulator.allowIntents(0x7fff_ffff);
    const inbox = new FakeInbox();
    await adapter.connect(inbox, stop.signal);
    const ada = emulator.user("Ada");
    emulator.say(ada, emulator.dm(ada), "hello");
    await send(adapter, answer(await inbox.message("hello"), "hi"), soon());
  });
});
